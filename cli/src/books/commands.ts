import { type Command, Option } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { explainTransfer } from './explain.ts'
import { makeStatement, STATEMENT_OUTPUTS, type StatementOptions } from './statement.ts'

const PERIOD = `
A time is ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z; a day begins at 00:00 UTC. What was posted at --from is part of
the statement, what was posted at --to is not, so the next one begins there.`

/** Adds `countersign statement` and `countersign ledger …`. */
export function addBookCommands(program: Command): void {
  withShellOptions(
    program
      .command('statement <account>')
      .description('a statement of an internal account, InternalAccount:…'),
  )
    .option('--from <time>', 'since when (default: since the account was opened)')
    .option('--to <time>', 'until when (default: now)')
    .addOption(
      new Option('--format <format>', 'how it is written').choices(STATEMENT_OUTPUTS).default('text'),
    )
    .option('--output <file>', 'write it to this file')
    .addHelpText('after', PERIOD)
    .action(async (id: string, options: ShellOptions & StatementOptions) =>
      makeStatement(await openShell(options), id, options),
    )
  const ledger = program.command('ledger').description('the ledger of your platform')
  withShellOptions(
    ledger
      .command('explain <id>')
      .description('show the records that led to a ledger transfer, or to the transfers of a payment'),
  ).action(async (id: string, options: ShellOptions) => explainTransfer(await openShell(options), id))
}
