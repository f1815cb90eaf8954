import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { untilInterrupted } from '../terminal/interrupted.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { readStatus, type TailFilter, tailLogs } from './tail.ts'

/** Adds `countersign logs tail`. */
export function addLogCommands(program: Command): void {
  const logs = ensureNounCommand(program, 'logs', 'requests to the API and their responses')
  withShellOptions(logs.command('tail').description('print requests as they complete'))
    .option('--status <status>', 'only with this status: 404, 2xx, 4xx or 5xx', readStatus)
    .action(async ({ status, ...options }: ShellOptions & { status?: TailFilter }) => {
      const shell = await openShell(options)
      await untilInterrupted((signal) => tailLogs(shell, { ...status, signal }))
    })
}
