import { type Command, Option } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../terminal/shell.ts'
import { explainTransfer } from './explain.ts'
import { makeStatement, STATEMENT_OUTPUTS, type StatementOptions } from './statement.ts'
import { saveTransactions, type TransactionOptions } from './transactions.ts'

const PERIOD = `
A time is ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z; a day begins at 00:00 UTC. What was posted at --from is part of
the statement, what was posted at --to is not, so the next one begins there.`

/** Adds `countersign statement`, `countersign transactions …` and `countersign ledger …`. */
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
  const transactions = program.command('transactions').description('transactions of your platform')
  withShellOptions(
    transactions
      .command('export <file>')
      .description('write transactions to a CSV file; - is standard output'),
  )
    .option('--from <time>', 'only those that were created at or after it')
    .option('--to <time>', 'only those that were created at or before it')
    .option('--account <id>', 'only those of this account')
    .option('--customer <id>', 'only those of this customer')
    .action(async (file: string, options: ShellOptions & TransactionOptions) =>
      saveTransactions(await openShell(options), file, options),
    )
  const ledger = program.command('ledger').description('the ledger of your platform')
  withShellOptions(
    ledger
      .command('explain <id>')
      .description('what led to a transfer of the ledger, or to those of a payment'),
  ).action(async (id: string, options: ShellOptions) => explainTransfer(await openShell(options), id))
}
