import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { moveClock, readDuration } from './clock.ts'
import { openConsole } from './console.ts'
import { fundAccount } from './fund.ts'
import { readInbox } from './inbox.ts'
import { resetSandbox } from './reset.ts'
import { fillSandbox, readCount } from './seed.ts'
import { listTriggers, triggerEvent } from './trigger.ts'
import type { TriggerIds } from './trigger-steps.ts'

/** Adds `countersign sandbox …`, `trigger` and `console`. */
export function addSandboxCommands(program: Command): void {
  const sandbox = ensureNounCommand(program, 'sandbox', 'tools of a sandbox')
  withShellOptions(sandbox.command('clock').description('show the clock of the platform, or advance it'))
    .option('--advance <span>', 'by a duration such as 90s, 6m, 2h, 3d or 1w', readDuration)
    .option('--to <time>', 'to this time, like 2026-01-31T12:00:00Z')
    .action(async (options: ShellOptions & Parameters<typeof moveClock>[1]) =>
      moveClock(await openShell(options), options),
    )
  withShellOptions(
    sandbox.command('fund <account> <amount>').description('add test money to an account, such as 25.00'),
  ).action(async (account: string, amount: string, options: ShellOptions) =>
    fundAccount(await openShell(options), account, amount),
  )
  withShellOptions(
    sandbox.command('inbox').description('show the latest messages that production would have sent'),
  )
    .option('--to <recipient>', 'only to this e-mail address or phone number')
    .action(async (options: ShellOptions & { to?: string }) =>
      readInbox(await openShell(options), options.to),
    )
  withShellOptions(
    sandbox.command('seed').description('fill the platform with example data; its clock advances'),
  )
    .option('--customers <count>', 'the number of customers with money (default: 12)', readCount)
    .option('--days <count>', 'the number of days of payments (default: 14)', readCount)
    .action(async (options: ShellOptions & Parameters<typeof fillSandbox>[1]) => {
      const { customers, days } = options
      const counts = {
        ...(customers === undefined ? {} : { customers }),
        ...(days === undefined ? {} : { days }),
      }
      await fillSandbox(await openShell(options), counts)
    })
  withShellOptions(
    sandbox
      .command('reset')
      .description('delete all records of the platform; its settings and tokens are kept'),
  )
    .option('--yes', 'skip the confirmation')
    .action(async (options: ShellOptions & { yes?: boolean }) =>
      resetSandbox(await openShell(options), options.yes),
    )
  withShellOptions(
    program.command('trigger [event]').description('perform the steps that cause an event, in a sandbox'),
  )
    .option('--list', 'print the events that can be triggered')
    .option('--customer <id>', 'with this customer, Customer:… (default: a new one)')
    .option('--account <id>', 'with this US dollar account of the customer, InternalAccount:…')
    .action(async (event: string | undefined, options: ShellOptions & TriggerIds & { list?: boolean }) => {
      if (options.list) return listTriggers()
      if (event === undefined) throw new Failure('Specify an event. List them: countersign trigger --list')
      await triggerEvent(await openShell(options), event, options)
    })
  withShellOptions(
    program.command('console').description('print a one-time link to the console of a sandbox'),
  ).action(async (options: ShellOptions) => openConsole(await openShell(options)))
}
