import { JOURNAL_FORMATS } from '@countersign/contract/books/journal'
import { keysOf } from '@countersign/contract/core/objects'
import { type Command, Option } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { createReport, listReports, showReport, verifyReport } from './client-money.ts'
import { explainTransfer } from './explain.ts'
import { type JournalOptions, showChart, writeJournal } from './journal.ts'
import { makeStatement, STATEMENT_OUTPUTS, type StatementOptions } from './statement.ts'

const PERIOD = `
A time is ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z; a day begins at 00:00 UTC. What was posted at --from is part of
the statement, what was posted at --to is not, so the next one begins there.`

/** Adds `countersign statement`, `countersign ledger …` and `countersign client-money …`. */
export function addBookCommands(program: Command): void {
  withShellOptions(
    program
      .command('statement <account>')
      .description('create a statement of an internal account, InternalAccount:…'),
  )
    .option('--from <time>', 'start of the period (default: the opening of the account)')
    .option('--to <time>', 'end of the period (default: now)')
    .addOption(
      new Option('--format <format>', 'the format of the file').choices(STATEMENT_OUTPUTS).default('text'),
    )
    .option('--output <file>', 'write to this file')
    .addHelpText('after', PERIOD)
    .action(async (id: string, options: ShellOptions & StatementOptions) =>
      makeStatement(await openShell(options), id, options),
    )
  addLedgerCommands(program)
  addClientMoneyCommands(program)
}

function addLedgerCommands(program: Command): void {
  const ledger = program.command('ledger').description('the ledger of your platform')
  withShellOptions(
    ledger
      .command('explain <id>')
      .description('show the records that led to a ledger transfer, or to the transfers of a payment'),
  ).action(async (id: string, options: ShellOptions) => explainTransfer(await openShell(options), id))
  withShellOptions(
    ledger
      .command('journal')
      .description('export the journal of a period for a spreadsheet or an accounting program'),
  )
    .requiredOption('--from <time>', 'start of the period')
    .requiredOption('--to <time>', 'end of the period')
    .addOption(
      new Option('--format <format>', 'the format of the file')
        .choices(keysOf(JOURNAL_FORMATS))
        .default('csv'),
    )
    .option('--currency <code>', 'only this currency; required for Xero')
    .option('--output <file>', 'write to this file')
    .action(async (options: ShellOptions & JournalOptions) => writeJournal(await openShell(options), options))
  withShellOptions(ledger.command('chart').description('show or set your chart of accounts'))
    .option('--set <file>', 'set it from a JSON file in the format of PUT /ledger/chart-of-accounts')
    .action(async (options: ShellOptions & { set?: string }) =>
      showChart(await openShell(options), options.set),
    )
}

function addClientMoneyCommands(program: Command): void {
  const reports = program
    .command('client-money')
    .description('reports of customer money and the holdings of rails, day by day')
  const add = (usage: string, description: string) =>
    withShellOptions(reports.command(usage).description(description))
  add('list', 'list the latest reports').action(async (options: ShellOptions) =>
    listReports(await openShell(options)),
  )
  add('get <report>', 'show a report').action(async (id: string, options: ShellOptions) =>
    showReport(await openShell(options), id),
  )
  add('create <date>', 'create the report of a day that has ended, such as 2030-01-31').action(
    async (date: string, options: ShellOptions) => createReport(await openShell(options), date),
  )
  add('verify <report>', 'check the signature of a report, and compare it with the ledger').action(
    async (id: string, options: ShellOptions) => verifyReport(await openShell(options), id),
  )
}
