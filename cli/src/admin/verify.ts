import { resolve } from 'node:path'
import { io } from '../terminal/io.ts'
import { ask, askServer } from './ask-server.ts'

interface Verified {
  readonly checked: Readonly<Record<string, number>>
  readonly findings: readonly {
    readonly check: string
    readonly id: string
    readonly expected: string
    readonly found: string
  }[]
}

/** `countersign verify`: returns the exit code, 1 if something is wrong. */
export async function verifyBooks(options: { checkpoints?: string; json?: boolean }): Promise<number> {
  const { checkpoints } = options
  const args = [
    'books',
    'verify',
    ...(checkpoints === undefined ? [] : ['--checkpoints', resolve(checkpoints)]),
  ]
  const { exitCode, output } = await askServer(args, options.json ?? false)
  if (exitCode !== 0) return exitCode
  const verified: Verified = JSON.parse(output)
  io().stdout.write(options.json ? output : describe(verified))
  return verified.findings.length > 0 ? 1 : 0
}

function describe({ checked, findings }: Verified): string {
  const { accounts, transfers, events, blocks, chained, checkpoints, kept } = checked
  const lines = [
    `Checked ${transfers} transfers, ${accounts} accounts and ${events} events; ${chained} transfers in ${blocks} blocks of the chain; ${checkpoints} checkpoints, and ${kept} that were kept elsewhere.`,
    ...findings.map(
      ({ check, id, expected, found }) => `WRONG ${check} ${id}: expected ${expected}; found ${found}`,
    ),
    findings.length === 0 ? 'The books are as they were written.' : `${findings.length} wrong.`,
  ]
  return `${lines.join('\n')}\n`
}

/** `countersign checkpoint`: gives the exit code. */
export async function makeCheckpoints(options: { json?: boolean }): Promise<number> {
  return ask(
    ['books', 'checkpoint'],
    options.json ?? false,
    ({ checkpoints }: { readonly checkpoints: readonly string[] }) =>
      checkpoints.length > 0
        ? `${checkpoints.join('\n')}\n`
        : 'Nothing has happened since the last checkpoints.\n',
  )
}
