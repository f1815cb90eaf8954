import { accountType } from '@countersign/contract/accounts/account-types'
import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { OpenedDepositAccount, WantedDepositAccount } from '../ports/rail.ts'
import type { RailDesk } from '../rails/desk.ts'
import { nextOpening } from '../rails/hours.ts'
import type { ConfiguredRail } from '../rails/registry.ts'
import { currenciesIn } from '../rails/routing.ts'
import { enqueue } from './queue.ts'
import type { BankFolder } from './stores/bank-folder.ts'

/** A rail of kind `bank-files`, with its share of folders. */
export interface BankFilesRail extends ConfiguredRail {
  readonly entry: BankFilesRailValue
  readonly folder: BankFolder
}

/**
 * A rail of a bank that takes files. Payments wait in a queue of this server until they become a file; what the bank says comes
 * in files as well.
 */
export function createBankFilesRail(entry: BankFilesRailValue, folder: BankFolder): BankFilesRail {
  const { name, hours, isRetired = false, lateDeposits = 'RETURN' } = entry
  return {
    name,
    entry,
    folder,
    isRecorded: true,
    isRetired,
    lateDeposits,
    currenciesIn: currenciesIn(entry),
    opensAt: (now) => (hours ? nextOpening(hours, now) : now),
    enqueue: (payment) => enqueue(entry, payment),
    send: byFiles,
    pull: byFiles,
    refund: byFiles,
    pullable: async () => undefined,
    openDepositAccount: async (_, wanted) => depositAccount(entry, wanted),
  }
}

/** What the desk of a rail of files works with. */
export interface Desk extends RailDesk {
  readonly rail: BankFilesRail
}

export function isBankFilesRail(rail: object): rail is BankFilesRail {
  return 'folder' in rail && 'entry' in rail
}

async function byFiles(): Promise<never> {
  throw new Error('A rail of files takes payments by its queue')
}

/** All pay in to the one account, and state a reference: the name has the reference, so that no two are the same. */
function depositAccount(
  { format }: BankFilesRailValue,
  { reference }: WantedDepositAccount,
): OpenedDepositAccount {
  const type = format.type === 'SEPA' ? 'EUR_ACCOUNT' : 'USD_ACCOUNT'
  const account =
    format.type === 'SEPA'
      ? { iban: format.iban, ...(format.bic === undefined ? {} : { swiftCode: format.bic }) }
      : { accountNumber: format.accountNumber, routingNumber: format.routingNumber }
  const accountInfo = {
    accountType: type,
    ...account,
    paymentRails: [...accountType(type).rails],
  } as OpenedDepositAccount['accountInfo']
  return { railReference: `${accountOf(format)} ${reference}`, matching: 'REFERENCE', accountInfo }
}

/** The number of the bank's account: IBAN or account number. */
export function accountOf(format: BankFilesRailValue['format']): string {
  return format.type === 'SEPA' ? format.iban : format.accountNumber
}
