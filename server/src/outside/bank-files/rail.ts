import { accountType } from '@countersign/contract/accounts/account-types'
import type { StatementFormat } from '@countersign/contract/connectors/bank-formats'
import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { present } from '@countersign/contract/core/objects'
import type { OpenedDepositAccount, WantedDepositAccount } from '../../kernel/ports/rail.ts'
import { findNextOpening } from '../../money/rails/opening-hours.ts'
import type { RailWorker } from '../../money/rails/rail-worker.ts'
import type { ConfiguredRail } from '../../money/rails/registry.ts'
import { listIncomingCurrencies } from '../../money/rails/routing.ts'
import { queueInstruction } from './bacs-payments.ts'
import type { Pgp } from './pgp.ts'
import { enqueue, findPaymentFault, isAccountInDoubt } from './queue.ts'
import { buildReversals } from './reversal-requests.ts'
import type { BankFolder } from './stores/bank-folder.ts'

/** A rail of kind `bank-files`, with its shared folders. */
export interface BankFilesRail extends ConfiguredRail {
  readonly entry: BankFilesRailValue
  /** Used only by the worker. */
  readonly folder: BankFolder
  readonly accountNumbers: readonly string[]
  readonly inboxEverySeconds: number
  /** The kind of file that counts incoming money. */
  readonly depositsFrom: NonNullable<BankFilesRailValue['depositsFrom']>
  /** The statement formats that count. The others describe the same bookings in different words. */
  readonly statementFormats: readonly StatementFormat[]
  /** Undefined if files are not encrypted. */
  readonly pgp: Pgp | undefined
  /** Opens the folder over a separate connection for callers other than the worker, which must close it. */
  openFolder(): BankFolder
}

const INBOX_EVERY_SECONDS = 60
/** The country code and the check digits. */
const IBAN_PREFIX_CHARACTERS = 4

/** The currency of each format's payments. */
export const CARRIED = { SEPA: 'EUR', ACH: 'USD', WIRE: 'USD', BACS: 'GBP', FASTER_PAYMENTS: 'GBP' } as const
/** The account type at the bank, by format. */
const ACCOUNT_TYPES = {
  SEPA: 'EUR_ACCOUNT',
  ACH: 'USD_ACCOUNT',
  WIRE: 'USD_ACCOUNT',
  BACS: 'GBP_ACCOUNT',
  FASTER_PAYMENTS: 'GBP_ACCOUNT',
} as const

/**
 * Creates the rail of a bank that exchanges files. Payments wait in this server's queue until they are added
 * to a file, and the bank's replies are also files.
 */
export function createBankFilesRail(
  entry: BankFilesRailValue,
  openFolder: () => BankFolder,
  pgp?: Pgp,
): BankFilesRail {
  const { name, hours, isRetired = false, lateDeposits = 'RETURN', otherAccountNumbers = [] } = entry
  const { inboxEverySeconds = INBOX_EVERY_SECONDS } = entry
  const { depositsFrom = entry.format.type === 'ACH' ? 'ACH_FILES' : 'STATEMENTS' } = entry
  return {
    name,
    entry,
    folder: openFolder(),
    openFolder,
    // Banks book pulls while they can still be returned.
    arePullsProvisional: entry.format.type !== 'WIRE',
    needsMandates: entry.format.type === 'SEPA' || entry.format.type === 'BACS',
    isRetired,
    lateDeposits,
    currenciesIn: listIncomingCurrencies(entry),
    accountNumbers: [...listAccountNumbers(entry.format), ...otherAccountNumbers],
    inboxEverySeconds,
    depositsFrom,
    pgp,
    statementFormats: listStatementFormats(entry),
    opensAt: (now) => (hours ? findNextOpening(hours, now) : now),
    enqueue: (payment) => enqueue(entry, payment),
    ...buildInstructions(entry),
    ...buildReversals(entry),
    faultOfPayment: (payment) => findPaymentFault(entry, payment),
    isAccountInDoubt: (read, platformId, account) => isAccountInDoubt(entry, read, platformId, account),
    send: refuseDirectCall,
    pull: refuseDirectCall,
    pullable: async () => undefined,
    openDepositAccount: async (_, wanted) => buildDepositAccount(entry, wanted),
  }
}

/** With debits, BAI2 does not count, because it does not distinguish a collection from a deposit. */
function listStatementFormats({ statementFormat, format }: BankFilesRailValue): readonly StatementFormat[] {
  if (statementFormat) return [statementFormat]
  return hasDebits(format) ? ['CAMT_053'] : ['CAMT_053', 'BAI2']
}

/** True for a rail that collects by mandate. */
export function hasDebits(format: BankFilesRailValue['format']): boolean {
  return 'debits' in format && format.debits !== undefined
}

/** Bacs allows debits only after an instruction about the mandate has reached the debtor's bank. */
function buildInstructions({ name, format }: BankFilesRailValue): Pick<BankFilesRail, 'instruct'> {
  if (format.type !== 'BACS') return {}
  return { instruct: (instruction) => queueInstruction({ name, format }, instruction) }
}

/** The worker's context for a bank file rail. */
export interface BankFileWorker extends RailWorker {
  readonly rail: BankFilesRail
}

export function isBankFilesRail(rail: object): rail is BankFilesRail {
  return 'folder' in rail && 'entry' in rail
}

async function refuseDirectCall(): Promise<never> {
  throw new Error('A bank file rail sends payments only from its queue')
}

/** All payers pay into the same account and state a reference, so the reference makes the id unique. */
function buildDepositAccount(
  { format }: BankFilesRailValue,
  { reference }: WantedDepositAccount,
): OpenedDepositAccount {
  const type = ACCOUNT_TYPES[format.type]
  const accountInfo = {
    accountType: type,
    ...toAccountDetails(format),
    paymentRails: [...accountType(type).rails],
  } as OpenedDepositAccount['accountInfo']
  return { railReference: `${getAccountNumber(format)} ${reference}`, matching: 'REFERENCE', accountInfo }
}

function toAccountDetails(format: BankFilesRailValue['format']) {
  if (format.type === 'SEPA') return { iban: format.iban, ...present({ swiftCode: format.bic }) }
  const { accountNumber } = format
  return 'sortCode' in format
    ? { accountNumber, sortCode: format.sortCode }
    : { accountNumber, routingNumber: format.routingNumber }
}

/** The numbers that a bank's files may use for the account, such as the national part of the IBAN. */
function listAccountNumbers(format: BankFilesRailValue['format']): readonly string[] {
  if (format.type === 'SEPA') return [format.iban, format.iban.slice(IBAN_PREFIX_CHARACTERS)]
  if (!('sortCode' in format)) return [getAccountNumber(format)]
  const iban = format.type === 'FASTER_PAYMENTS' ? format.iban : undefined
  return [getAccountNumber(format), format.accountNumber, ...(iban === undefined ? [] : [iban])]
}

/** The number of the account at the bank: IBAN, account number, or sort code and account number. */
export function getAccountNumber(format: BankFilesRailValue['format']): string {
  if (format.type === 'SEPA') return format.iban
  return 'sortCode' in format ? `${format.sortCode}${format.accountNumber}` : format.accountNumber
}
