import { present } from '@countersign/contract/core/objects'
import { isValidIBAN } from 'ibantools'
import type { PaymentDraft } from '../../kernel/ports/rail.ts'
import type { BankAddress, BankPaymentDetails } from '../../storage/rows/bank-file.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import { UnwritablePayment } from './formats/unreadable-file.ts'

/** Builds the counterparty details that a file needs. Throws UnwritablePayment if they are incomplete. */
export function toPaymentDetails(
  { account, sender, remittanceInformation }: PaymentDraft,
  number: string | undefined,
  extra: Partial<BankPaymentDetails>,
): BankPaymentDetails {
  const name = account ? readHolderName(account) : sender?.name
  if (number === undefined) throw new UnwritablePayment("the counterparty's account is unknown")
  if (name === undefined) throw new UnwritablePayment("the holder of the counterparty's account is unknown")
  return { name, account: number, ...extra, ...(remittanceInformation ? { remittanceInformation } : {}) }
}

/**
 * Reads the sort code and number of an account in pounds. A payer may have a British IBAN, or a sort code and
 * a number, which may begin with the sort code. Throws UnwritablePayment for all other accounts.
 */
export function readPoundAccount({ account, sender }: Pick<PaymentDraft, 'account' | 'sender'>): {
  readonly sortCode: string
  readonly number: string | undefined
} {
  if (account) {
    const sortCode = readField(account, 'sortCode')
    if (sortCode === undefined) throw new UnwritablePayment('the sort code of the account is unknown')
    return { sortCode, number: readField(account, 'accountNumber') }
  }
  const number = sender?.accountIdentifier?.replaceAll(/[ -]/g, '') ?? ''
  const [, ibanSortCode, ibanNumber] =
    (isValidIBAN(number) && /^GB\d{2}[A-Z]{4}(\d{6})(\d{8})$/.exec(number)) || []
  const statedSortCode = /^\d{6}$/.exec(sender?.bankIdentifier ?? '')?.[0]
  const sortCode = ibanSortCode ?? statedSortCode
  if (sortCode === undefined) throw new UnwritablePayment('the sort code of the account is unknown')
  const isJoined = number.length === 14 && number.startsWith(sortCode)
  return { sortCode, number: ibanNumber ?? (isJoined ? number.slice(sortCode.length) : number) }
}

/** The holder's address, if it has the town that a structured address requires. */
export function readAddress(account: AccountDetails | undefined): BankAddress | undefined {
  if (!account || !('beneficiary' in account)) return undefined
  const { line1, line2, postalCode, city, state: region, country } = account.beneficiary.address ?? {}
  if (city === undefined || country === undefined) return undefined
  const street = [line1, line2].filter(Boolean).join(', ')
  return { city, country, ...present({ street, postalCode, region }) }
}

export function readField(account: AccountDetails, name: string): string | undefined {
  const value: unknown = Reflect.get(account, name)
  return typeof value === 'string' ? value : undefined
}

function readHolderName(account: AccountDetails): string | undefined {
  if (!('beneficiary' in account)) return undefined
  const { beneficiary } = account
  return beneficiary.beneficiaryType === 'INDIVIDUAL' ? beneficiary.fullName : beneficiary.legalName
}
