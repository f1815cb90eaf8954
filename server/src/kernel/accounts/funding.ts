import { hash } from 'node:crypto'
import {
  ACCOUNT_TYPES,
  type AccountTypeName,
  accountType,
  isAccountType,
  PAYMENT_ACCOUNT_INFO,
  type PaymentAccountInfoValue,
} from '@countersign/contract/accounts/account-types'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import type { Op } from '../operation/app.ts'
import type { Deposit, DepositDetails } from '../ports/deposit-details.ts'

/** Where to pay to so that the money arrives on an internal account. */
export interface FundingInstructions {
  readonly accountOrWalletInfo: PaymentAccountInfoValue
  readonly instructionsNotes?: string
  readonly isPlatformAccount: boolean
}

const REFERENCE_CHARACTERS = 10

/** The reference that identifies deposits to an account; it never changes. */
export function fundingReference(accountId: string): string {
  const digest = hash('sha256', `reference ${accountId}`)
  return `CS${digest.slice(0, REFERENCE_CHARACTERS).toUpperCase()}`
}

/**
 * Where to pay to (specification 2.8). A wallet is paid at its own address. A managed account is paid through what the rails
 * have opened for it, in sandbox through made-up deposit details; a PENDING one cannot be paid.
 */
export function accountFundingInstructions(op: Op, account: InternalAccountRow): FundingInstructions[] {
  const isPlatformAccount = account.customer_id === null
  if (account.status === 'PENDING') return []
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
  if (account.chain_rail !== null) return atChainAddress(op, account)
  const opened = openedByRails(op, account, isPlatformAccount)
  const from = op.depositDetails
  if (!from) return opened
  const reference = fundingReference(account.id)
  // A Lightning invoice can be paid once only; deposit details of an account have to stay valid.
  const types = fundingTypesOf(account.currency).filter(
    (type) =>
      type !== 'LIGHTNING' &&
      !opened.some(({ accountOrWalletInfo }) => accountOrWalletInfo.accountType === type),
  )
  const simulated = types.map((type) => {
    const accountOrWalletInfo = from.details(type, {
      seed: account.id,
      currency: account.currency,
      reference,
    })
    const note =
      'Sandbox: no real payment can reach these details. Fund the account with the sandbox endpoint instead.'
    return {
      accountOrWalletInfo,
      instructionsNotes: 'reference' in accountOrWalletInfo ? note : `${note} Reference: ${reference}.`,
      isPlatformAccount,
    }
  })
  return [...opened, ...simulated]
}

/** A wallet on a chain has one address there for ever. Nobody looks at it while its rail is not in the file. */
function atChainAddress(op: Op, { chain_rail, chain_address }: InternalAccountRow): FundingInstructions[] {
  const chain = op.rails.find(chain_rail)?.chain
  if (!chain || chain_address === null) return []
  return [
    {
      accountOrWalletInfo: {
        accountType: `${chain.network}_WALLET`,
        assetType: 'USDC',
        address: toChecksumAddress(chain_address.slice(2)),
      },
      instructionsNotes: 'Whatever arrives here is the money of this wallet.',
      isPlatformAccount: false,
    },
  ]
}

/** What rails have opened for an account, as long as they take something new. */
function openedByRails(op: Op, { id, funding }: InternalAccountRow, isPlatformAccount: boolean) {
  return (funding ?? [])
    .filter(({ rail }) => op.rails.find(rail)?.isRetired === false)
    .map(({ accountOrWalletInfo, instructionsNotes }) => ({
      accountOrWalletInfo: withReference(accountOrWalletInfo, fundingReference(id)),
      instructionsNotes,
      isPlatformAccount,
    }))
}

/**
 * The account types through which a currency can be paid in, the preferred one first: a fiat currency's own, and a wallet on
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

/** `SOLANA` of `SOLANA_WALLET`; undefined for an account type that is on no chain. */
export function networkOf(type: string): string | undefined {
  return isAccountType(type) && accountType(type).isChain ? type.replace('_WALLET', '') : undefined
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
 * Deposit details of the preferred account type of a currency; `network` as for `fundingTypesOf`, which says
 * beforehand whether there is such a type. Throws where there is none.
 */
export function depositDetails(
  from: DepositDetails,
  deposit: Deposit,
  network?: string,
): PaymentAccountInfoValue {
  const [type] = fundingTypesOf(deposit.currency, network)
  if (!type) throw new Error(`No account type takes ${deposit.currency} on ${network}`)
  return from.details(type, deposit)
}

/** The details of an account to pay in to, with the reference of the payment, where its type has a member for that. */
export function withReference(info: PaymentAccountInfoValue, reference: string): PaymentAccountInfoValue {
  const takes = 'reference' in (PAYMENT_ACCOUNT_INFO.get(info.accountType)?.properties ?? {})
  return takes ? ({ ...info, reference } as PaymentAccountInfoValue) : info
}
