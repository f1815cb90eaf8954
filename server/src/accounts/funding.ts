import { createHash } from 'node:crypto'
import {
  ACCOUNT_TYPES,
  type AccountTypeName,
  accountType,
  isAccountType,
  PAYMENT_ACCOUNT_INFO,
  type PaymentAccountInfoValue,
} from '@countersign/contract/account-types'
import type { Op } from '../app.ts'
import type { InternalAccountRow } from '../db/schema/tables.ts'
import { sandboxMember } from './sandbox-details.ts'

/** Where to pay to so that the money arrives on an internal account. */
export interface FundingInstructions {
  readonly accountOrWalletInfo: PaymentAccountInfoValue
  readonly instructionsNotes?: string
  readonly isPlatformAccount: boolean
}

const REFERENCE_CHARACTERS = 10

/** What an account's deposits are told apart by: always the same for one account. */
export function fundingReference(accountId: string): string {
  const digest = createHash('sha256').update(`reference ${accountId}`).digest('hex')
  return `CS${digest.slice(0, REFERENCE_CHARACTERS).toUpperCase()}`
}

/**
 * Where to pay to (specification 2.8). A wallet is paid at its own address. A managed account is paid in sandbox through
 * made-up deposit details; in production there is no bank and no chain to pay in at yet.
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
  if (op.mode !== 'sandbox') return []
  const reference = fundingReference(account.id)
  // A Lightning invoice is paid once; an account is paid at the same place always.
  const types = fundingTypesOf(account.currency).filter((type) => type !== 'LIGHTNING')
  return types.map((type) => {
    const accountOrWalletInfo = detailsOf(type, account.id, account.currency, reference)
    const note = 'Sandbox: these details lead nowhere. Fund the account with the sandbox endpoint instead.'
    return {
      accountOrWalletInfo,
      instructionsNotes: 'reference' in accountOrWalletInfo ? note : `${note} Reference: ${reference}.`,
      isPlatformAccount,
    }
  })
}

/**
 * The account types that a currency is paid in through, the preferred one first: a fiat currency's own, and a wallet on
 * each network that carries the asset. `network` narrows them to one of these: `SPARK`, `LIGHTNING`, `SOLANA`, `TRON`,
 * `POLYGON`, `BASE`, `ETHEREUM`, in any case. Empty where nothing fits.
 */
export function fundingTypesOf(currency: string, network?: string): readonly AccountTypeName[] {
  const own = `${currency}_ACCOUNT`
  const all = isAccountType(own) && holds(own, currency) ? [own] : walletsOf(currency)
  if (network === undefined) return all
  const wanted = network.toUpperCase()
  return all.filter((type) => networkOf(type) === wanted)
}

/** `SOLANA` of `SOLANA_WALLET`; undefined for an account at a bank. */
export function networkOf(type: AccountTypeName): string | undefined {
  return accountType(type).rails.length === 0 ? type.replace('_WALLET', '') : undefined
}

function walletsOf(currency: string): AccountTypeName[] {
  return Object.keys(ACCOUNT_TYPES)
    .filter(isAccountType)
    .filter((type) => networkOf(type) && accountType(type).fields && holds(type, currency))
}

function holds(type: AccountTypeName, currency: string): boolean {
  return accountType(type).currencies.some((code) => code === currency)
}

/**
 * Made-up deposit details of the sandbox, the same for the same arguments: they have the form of the currency's own
 * account type and the check digits of real ones, and lead nowhere. Where the type has no member for the reference, it
 * is part of what is paid to (a PIX code, a payment page, an invoice) or of nothing: say it in the notes as well.
 * `network` as for `fundingTypesOf`, which says beforehand whether there is such an account; it is a fault to ask for
 * details where there is none.
 */
export function depositDetails(
  seed: string,
  currency: string,
  reference: string,
  network?: string,
): PaymentAccountInfoValue {
  const [type] = fundingTypesOf(currency, network)
  if (!type) throw new Error(`No account type takes ${currency} on ${network}`)
  return detailsOf(type, seed, currency, reference)
}

function detailsOf(
  type: AccountTypeName,
  seed: string,
  currency: string,
  reference: string,
): PaymentAccountInfoValue {
  const properties = PAYMENT_ACCOUNT_INFO.get(type)!.properties
  const from = { type, seed, currency, reference }
  const members = Object.keys(properties).flatMap((name) => {
    const value = sandboxMember(name, from)
    return value === undefined ? [] : [[name, value] as const]
  })
  // That they fit the type's schema and its checks is a test's to say, over every currency and network.
  return Object.fromEntries(members) as PaymentAccountInfoValue
}
