import { present } from '@countersign/contract/core/objects'
import { isValidIBAN } from 'ibantools'
import type { UnmadePayment } from '../../kernel/ports/rail.ts'
import type { BankAddress, BankPaymentDetails } from '../../storage/rows/bank-file.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import { UnwritablePayment } from './formats/unreadable-file.ts'

/** The counterparty of a payment, as a file needs it. */

export function detailsOf(
  { account, sender, remittanceInformation }: UnmadePayment,
  number: string | undefined,
  more: Partial<BankPaymentDetails>,
): BankPaymentDetails {
  const name = account ? holderOf(account) : sender?.name
  if (number === undefined) throw new UnwritablePayment("the counterparty's account is unknown")
  if (name === undefined) throw new UnwritablePayment("the holder of the counterparty's account is unknown")
  return { name, account: number, ...more, ...(remittanceInformation ? { remittanceInformation } : {}) }
}

/**
 * The sort code and number of an account in pounds. A payer may be known by a British IBAN, or by a sort code and a
 * number, which may begin with the sort code. Throws UnwritablePayment for all other accounts.
 */
export function poundAccountOf({ account, sender }: Pick<UnmadePayment, 'account' | 'sender'>): {
  readonly sortCode: string
  readonly number: string | undefined
} {
  if (account) {
    const sortCode = memberOf(account, 'sortCode')
    if (sortCode === undefined) throw new UnwritablePayment('sort code is not known')
    return { sortCode, number: memberOf(account, 'accountNumber') }
  }
  const number = sender?.accountIdentifier?.replaceAll(/[ -]/g, '') ?? ''
  const [, ofIban, inIban] = (isValidIBAN(number) && /^GB\d{2}[A-Z]{4}(\d{6})(\d{8})$/.exec(number)) || []
  const stated = /^\d{6}$/.exec(sender?.bankIdentifier ?? '')?.[0]
  const sortCode = ofIban ?? stated
  if (sortCode === undefined) throw new UnwritablePayment('sort code is not known')
  const isJoined = number.length === 14 && number.startsWith(sortCode)
  return { sortCode, number: inIban ?? (isJoined ? number.slice(sortCode.length) : number) }
}

/** The holder's address, if it has the town that a structured address requires. */
export function addressOf(account: AccountDetails | undefined): BankAddress | undefined {
  if (!account || !('beneficiary' in account)) return undefined
  const { line1, line2, postalCode, city, state: region, country } = account.beneficiary.address ?? {}
  if (city === undefined || country === undefined) return undefined
  const street = [line1, line2].filter(Boolean).join(', ')
  return { city, country, ...present({ street, postalCode, region }) }
}

export function memberOf(account: AccountDetails, name: string): string | undefined {
  const value: unknown = Reflect.get(account, name)
  return typeof value === 'string' ? value : undefined
}

function holderOf(account: AccountDetails): string | undefined {
  if (!('beneficiary' in account)) return undefined
  const { beneficiary } = account
  return beneficiary.beneficiaryType === 'INDIVIDUAL' ? beneficiary.fullName : beneficiary.legalName
}
