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

/** Instructions for paying money into an internal account. */
export interface FundingInstructions {
  readonly accountOrWalletInfo: PaymentAccountInfoValue
  readonly instructionsNotes?: string
  readonly isPlatformAccount: boolean
}

const REFERENCE_CHARACTERS = 10

/** The reference that identifies deposits to an account. It never changes. */
export function deriveFundingReference(accountId: string): string {
  const digest = hash('sha256', `reference ${accountId}`)
  return `CS${digest.slice(0, REFERENCE_CHARACTERS).toUpperCase()}`
}

/**
 * Payment instructions (specification 2.8); a wallet is paid at its own address. A managed account is paid
 * through the accounts that rails have opened for it or, in the sandbox, through generated deposit details. A
 * PENDING account cannot be paid.
 */
export function listFundingInstructions(op: Op, account: InternalAccountRow): FundingInstructions[] {
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
  if (account.chain_rail !== null) return buildChainInstructions(op, account)
  const railAccounts = listRailAccounts(op, account, isPlatformAccount)
  const from = op.depositDetails
  if (!from) return railAccounts
  const reference = deriveFundingReference(account.id)
  // A Lightning invoice can be paid only once, but the deposit details of an account must stay valid.
  const types = listFundingTypes(account.currency).filter(
    (type) =>
      type !== 'LIGHTNING' &&
      !railAccounts.some(({ accountOrWalletInfo }) => accountOrWalletInfo.accountType === type),
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
  return [...railAccounts, ...simulated]
}

/**
 * A wallet has one permanent address on its chain. Payments to it are not detected while its rail is missing
 * from the rails file.
 */
function buildChainInstructions(
  op: Op,
  { chain_rail, chain_address }: InternalAccountRow,
): FundingInstructions[] {
  const chain = op.rails.find(chain_rail)?.chain
  if (!chain || chain_address === null) return []
  return [
    {
      accountOrWalletInfo: {
        accountType: `${chain.network}_WALLET`,
        assetType: 'USDC',
        address: toChecksumAddress(chain_address.slice(2)),
      },
      instructionsNotes: 'All money received at this address is credited to this wallet.',
      isPlatformAccount: false,
    },
  ]
}

/** Accounts that rails have opened for an account, except for retired rails. */
function listRailAccounts(op: Op, { id, funding }: InternalAccountRow, isPlatformAccount: boolean) {
  return (funding ?? [])
    .filter(({ rail }) => op.rails.find(rail)?.isRetired === false)
    .map(({ accountOrWalletInfo, instructionsNotes }) => ({
      accountOrWalletInfo: withReference(accountOrWalletInfo, deriveFundingReference(id)),
      instructionsNotes,
      isPlatformAccount,
    }))
}

/**
 * The account types through which a currency can be paid in, preferred ones first: the currency's own account
 * type if it is a fiat currency, or a wallet type for each network that carries the asset. `network` selects
 * one of `SPARK`, `LIGHTNING`, `SOLANA`, `TRON`, `POLYGON`, `BASE`, `ETHEREUM`, ignoring case. Empty if
 * nothing matches.
 */
export function listFundingTypes(currency: string, network?: string): readonly AccountTypeName[] {
  const ownType = `${currency}_ACCOUNT`
  const allTypes =
    isAccountType(ownType) && canHold(ownType, currency) ? [ownType] : listWalletTypes(currency)
  if (network === undefined) return allTypes
  const wantedNetwork = network.toUpperCase()
  return allTypes.filter((type) => toNetwork(type) === wantedNetwork)
}

/** For example `SOLANA` for `SOLANA_WALLET`. Undefined for account types without a chain. */
export function toNetwork(type: string): string | undefined {
  return isAccountType(type) && accountType(type).isChain ? type.replace('_WALLET', '') : undefined
}

function listWalletTypes(currency: string): AccountTypeName[] {
  return Object.keys(ACCOUNT_TYPES)
    .filter(isAccountType)
    .filter((type) => toNetwork(type) && accountType(type).fields && canHold(type, currency))
}

function canHold(type: AccountTypeName, currency: string): boolean {
  return accountType(type).currencies.some((code) => code === currency)
}

/**
 * Deposit details for the preferred account type of a currency. `network` works as in `listFundingTypes`.
 * Throws if no type matches.
 */
export function depositDetails(
  from: DepositDetails,
  deposit: Deposit,
  network?: string,
): PaymentAccountInfoValue {
  const [type] = listFundingTypes(deposit.currency, network)
  if (!type) throw new Error(`No account type supports ${deposit.currency} on ${network}`)
  return from.details(type, deposit)
}

/** Adds the payment reference to deposit details if their type has a field for it. */
export function withReference(info: PaymentAccountInfoValue, reference: string): PaymentAccountInfoValue {
  const takes = 'reference' in (PAYMENT_ACCOUNT_INFO.get(info.accountType)?.properties ?? {})
  return takes ? ({ ...info, reference } as PaymentAccountInfoValue) : info
}
