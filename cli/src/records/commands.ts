import type { Command } from 'commander'
import { findCredentials, openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { addAccountChangeDecisions } from './account-changes.ts'
import { addAccountVerificationActions } from './account-verifications.ts'
import { callRaw, type RawOptions } from './api.ts'
import { type DecideOptions, decidePayment, listDecisions, readOutcome } from './decide.ts'
import { addDepositDecisions } from './deposits.ts'
import { saveTransactions, type TransactionOptions } from './export.ts'
import { addExternalAccountCreation } from './external-accounts.ts'
import { addFilters } from './filters.ts'
import { addHoldLift } from './holds.ts'
import { getRecord, type ListOptions, listRecords } from './list.ts'
import { addMandateActions } from './mandates.ts'
import { addMatches } from './matches.ts'
import { RECORD_NOUNS, type RecordNoun } from './nouns.ts'
import { searchRecords } from './search.ts'

/**
 * Adds `list` and `get` for every noun, the actions on records (transactions, deposits, holds, mandates,
 * account changes, external accounts, their verifications and statement differences), `countersign search` and
 * `countersign api`.
 */
export function addRecordCommands(program: Command, done: (exitCode: number) => void): void {
  const [
    customers,
    accounts,
    transactions,
    events,
    quotes,
    deposits,
    schedules,
    holds,
    accountChanges,
    mandates,
    externalAccounts,
    accountVerifications,
  ] = RECORD_NOUNS
  addNoun(program, customers)
  addNoun(program, accounts)
  addNoun(program, transactions)
  addNoun(program, events)
  addNoun(program, quotes)
  addNoun(program, deposits)
  addNoun(program, schedules)
  addNoun(program, holds)
  addNoun(program, accountChanges)
  addNoun(program, mandates)
  addNoun(program, externalAccounts)
  addNoun(program, accountVerifications)
  addTransactionExport(program)
  addPaymentDecisions(program)
  addDepositDecisions(program)
  addHoldLift(program)
  addAccountChangeDecisions(program)
  addMandateActions(program)
  addExternalAccountCreation(program)
  addAccountVerificationActions(program)
  addMatches(program)
  withShellOptions(
    program.command('search <text>').description('find a record by an identifier, a name or an amount'),
  ).action(async (text: string, options: ShellOptions) => searchRecords(await openShell(options), text))
  withShellOptions(
    program
      .command('api <method> <path>')
      .description('call any endpoint of the API, such as: api GET /customers?limit=1'),
  )
    .option('--data <json>', 'the request body as JSON, or @ and the name of a file')
    .option('--idempotency-key <key>', 'the idempotency key; a repeated call with the same key has no effect')
    .action(async (method: string, path: string, options: ShellOptions & RawOptions) =>
      done(await callRaw(await findCredentials(options), method, path, options)),
    )
}

function addNoun<N extends RecordNoun['list']>(program: Command, noun: RecordNoun<N>): void {
  const { name, description } = noun
  const command = ensureNounCommand(program, name, description)
  const list = withShellOptions(command.command('list').description(`list ${name}`))
  addFilters(list, noun)
  list.action(async (options: ShellOptions & ListOptions) =>
    listRecords(await openShell(options), noun, options),
  )
  withShellOptions(command.command('get <id>').description('show one by its id')).action(
    async (id: string, options: ShellOptions) => getRecord(await openShell(options), noun, id),
  )
}

function addTransactionExport(program: Command): void {
  const transactions = ensureNounCommand(program, 'transactions', 'transactions of your platform')
  withShellOptions(
    transactions
      .command('export <file>')
      .description('write transactions to a CSV file; - is standard output'),
  )
    .option('--from <time>', 'only transactions created at or after this time')
    .option('--to <time>', 'only transactions created at or before this time')
    .option('--account <id>', 'only transactions of this account')
    .option('--customer <id>', 'only transactions of this customer')
    .action(async (file: string, options: ShellOptions & TransactionOptions) =>
      saveTransactions(await openShell(options), file, options),
    )
}

const HOW_TO_DECIDE = `
Only decide a payment that its rail has not completed, or that a report in GET /rail-events contradicts: pass it as --report.
Evidence is required: --note, --line or --document. REVERSAL asks the bank of the payee to return an ACH payment
sent in error, within five banking days. It moves no money: decide RETURNED once the money is back.`

function addPaymentDecisions(program: Command): void {
  const transactions = ensureNounCommand(program, 'transactions', 'transactions of your platform')
  withShellOptions(
    transactions
      .command('decide <id>')
      .description(
        'set the outcome of a payment that its rail has not reported, and move its money accordingly',
      ),
  )
    .requiredOption('--outcome <outcome>', 'DELIVERED, FAILED, RETURNED or REVERSAL', readOutcome)
    .requiredOption('--reason <text>', 'the reason; stored with the decision')
    .option('--note <text>', 'evidence: a note, such as the person at the bank, their statement and its time')
    .option('--line <id...>', 'evidence: lines of a statement that book it, StatementEntry:…')
    .option('--document <id>', 'evidence: an uploaded document of the customer who pays, Document:…')
    .option('--charge <amount>', 'bank charges, such as 2.50, which the platform pays')
    .option('--report <id>', 'the waiting report that this resolves, RailEvent:…')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', HOW_TO_DECIDE)
    .action(async (id: string, options: ShellOptions & DecideOptions) =>
      decidePayment(await openShell(options), id, options),
    )
  withShellOptions(
    transactions.command('decisions <id>').description('the decisions about a payment'),
  ).action(async (id: string, options: ShellOptions) => listDecisions(await openShell(options), id))
}
