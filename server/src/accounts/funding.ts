import { createHash } from 'node:crypto'
import type { PaymentAccountInfoValue } from '@countersign/contract/account-types'
import { ACCOUNT_TYPES } from '@countersign/contract/account-types'
import type { Op } from '../app.ts'
import type { InternalAccountRow } from '../db/tables.ts'
import { clabeCheckDigit, ibanCheckDigits } from '../external-accounts/check-digits.ts'

/** Where to pay to so that the money arrives on an internal account. */
export interface FundingInstructions {
  readonly accountOrWalletInfo: PaymentAccountInfoValue
  readonly instructionsNotes?: string
  readonly isPlatformAccount: boolean
}

const REFERENCE_CHARACTERS = 10
const BANK_NAME = 'Countersign Sandbox Bank'
const SWIFT_CODE = 'CSGNUS33'
/** A number that passes the check and that no bank has. */
const ROUTING_NUMBER = '110000000'
const SORT_CODE = '000000'
/** Bank and city of a Mexican account; no bank has this number. */
const CLABE_BANK_AND_CITY = '999180'
/** A German bank; none has this number. */
const IBAN_COUNTRY = 'DE'
const IBAN_BANK = '99999999'

/** What an account's deposits are told apart by: always the same for one account. */
export function fundingReference(accountId: string): string {
  const digest = createHash('sha256').update(`reference ${accountId}`).digest('hex')
  return `CS${digest.slice(0, REFERENCE_CHARACTERS).toUpperCase()}`
}

/**
 * Where to pay to (specification 2.8). A wallet is paid at its own address. A fiat account is paid in sandbox through
 * made-up deposit details; in production there is no bank to pay in at yet.
 */
export function fundingInstructions(op: Op, account: InternalAccountRow): FundingInstructions[] {
  const isPlatformAccount = account.customer_id === null
  if (account.spark_address !== null)
    return [
      {
        accountOrWalletInfo: {
          accountType: 'SPARK_WALLET',
          assetType: account.currency === 'BTC' ? 'BTC' : 'USDB',
          address: account.spark_address,
        },
        isPlatformAccount,
      },
    ]
  if (account.type !== 'INTERNAL_FIAT' || op.mode !== 'sandbox') return []
  return [
    {
      accountOrWalletInfo: depositDetails(account.id, account.currency),
      instructionsNotes:
        'Sandbox: these details lead nowhere. Fund the account with the sandbox endpoint instead.',
      isPlatformAccount,
    },
  ]
}

/** Deposit details of the currency's own kind where there is one here, by SWIFT for every other currency. */
export function depositDetails(accountId: string, currency: string): PaymentAccountInfoValue {
  const reference = fundingReference(accountId)
  switch (currency) {
    case 'USD':
      return {
        accountType: 'USD_ACCOUNT',
        paymentRails: [...ACCOUNT_TYPES.USD_ACCOUNT.rails],
        accountNumber: digits(accountId, 12),
        routingNumber: ROUTING_NUMBER,
        bankName: BANK_NAME,
        reference,
      }
    case 'EUR': {
      const nationalPart = IBAN_BANK + digits(accountId, 10)
      return {
        accountType: 'EUR_ACCOUNT',
        paymentRails: [...ACCOUNT_TYPES.EUR_ACCOUNT.rails],
        iban: IBAN_COUNTRY + ibanCheckDigits(IBAN_COUNTRY, nationalPart) + nationalPart,
        reference,
      }
    }
    case 'MXN': {
      const first = CLABE_BANK_AND_CITY + digits(accountId, 11)
      return {
        accountType: 'MXN_ACCOUNT',
        paymentRails: [...ACCOUNT_TYPES.MXN_ACCOUNT.rails],
        clabeNumber: first + clabeCheckDigit(first),
        reference,
      }
    }
    case 'GBP':
      return {
        accountType: 'GBP_ACCOUNT',
        paymentRails: [...ACCOUNT_TYPES.GBP_ACCOUNT.rails],
        sortCode: SORT_CODE,
        accountNumber: digits(accountId, 8),
        reference,
      }
    default:
      return {
        accountType: 'SWIFT_ACCOUNT',
        paymentRails: [...ACCOUNT_TYPES.SWIFT_ACCOUNT.rails],
        country: 'US',
        swiftCode: SWIFT_CODE,
        bankName: BANK_NAME,
        accountNumber: digits(accountId, 12),
        reference,
      }
  }
}

/** Digits that follow from the account, so that its details are the same whenever they are asked for. */
function digits(accountId: string, count: number): string {
  const number = createHash('sha256').update(`account ${accountId}`).digest().readBigUInt64BE()
  return String(number).padStart(20, '0').slice(-count)
}
