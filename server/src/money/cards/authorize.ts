import { AUTHORIZATION_SECONDS } from '@countersign/contract/cards/cards'
import { CARD_TRANSACTION_INITIAL } from '@countersign/contract/states/card-states'
import { requireValue } from '../../base/formats/require-value.ts'
import { toCanonicalJson } from '../../base/json/json.ts'
import { buildBalanceEvent, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { findBalances } from '../../kernel/ledger/balances.ts'
import { hold } from '../../kernel/ledger/holds.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { AuthorizationEvent } from '../../kernel/ports/card-processor.ts'
import { isDeleted } from '../../people/customers/customers.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { expectRow, insert } from '../../storage/commit/writes.ts'
import type { CardRow, CardTransactionRow, DelegatedKeyRow } from '../../storage/rows/card.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { type CardDecision, decideUse, type FundingSource } from './authorization-decision.ts'
import { getFirstReceivingAccount, type PurchaseChange, toPurchaseCause } from './card-transactions.ts'
import { claimMax, toSourceUnits } from './claim-limit.ts'
import { selectActiveKey } from './store.ts'

interface Source extends FundingSource {
  readonly account: InternalAccountRow
  readonly key: DelegatedKeyRow | undefined
}

/** A decline, or the new purchase with its writes. */
export type AuthorizationResult =
  | Extract<CardDecision, { isApproved: false }>
  | ({ readonly isApproved: true } & PurchaseChange)

/**
 * Decides whether a card pays, and holds the amount if it does. Guards: the card is unchanged, the key is not
 * revoked, and the source can spend the amount.
 */
export async function authorize(
  op: Op,
  card: CardRow,
  use: AuthorizationEvent,
): Promise<AuthorizationResult> {
  if (use.declined) return { isApproved: false, reason: use.declined }
  const [holderIsDeleted, ...sources] = await Promise.all([
    isDeleted(op, card.cardholder_id),
    ...card.funding_sources.map((id) => findSource(op, card, id)),
  ])
  const decision = decideUse(card, { isDeleted: holderIsDeleted }, sources, use)
  if (!decision.isApproved) return decision
  const { account, key } = requireValue(
    sources.find(({ accountId }) => accountId === decision.accountId),
    'funding source chosen by the decision',
  )
  const id = op.newId('CardTransaction')
  const amount = toSourceUnits(use.amount, use.currency, account.currency)
  const { holdId, write } = hold(op, toPurchaseCause({ id }), {
    account: account.id,
    to: getFirstReceivingAccount(account.currency, card.currency),
    currency: account.currency,
    amount,
  })
  const claim_max = claimMax(use, getPlatformConfig(op).cardConfig.overClaimPercentMax)
  const row: CardTransactionRow = {
    ...newPurchase(op, card, account, use, id),
    hold_id: holdId,
    held_amount: amount,
    delegated_key_id: key?.id ?? null,
    signature: key ? signAuthorization(op, key, card, use, { id, claim_max }) : null,
    authorized_amount: use.amount,
    claim_max,
    unclaimed_amount: use.amount,
  }
  return {
    isApproved: true,
    row,
    writes: [
      expectRow('cards', card.id, { version: card.version }),
      ...(key ? [expectRow('delegated_keys', key.id, { status: 'ACTIVE' })] : []),
      write,
      insert('card_transactions', row),
      buildBalanceEvent(op, account),
      job(
        op,
        'card-transaction.expire',
        { cardTransactionId: id },
        addSeconds(op.now, AUTHORIZATION_SECONDS),
      ),
    ],
  }
}

/** A new purchase, before anything is authorized, claimed or pulled. */
export function newPurchase(
  op: Op,
  card: Pick<CardRow, 'id' | 'currency'>,
  account: Pick<InternalAccountRow, 'id' | 'currency'>,
  use: Pick<AuthorizationEvent, 'merchant' | 'token'>,
  id: string,
): CardTransactionRow {
  return {
    id,
    platform_id: op.platform.id,
    card_id: card.id,
    account_id: account.id,
    state: CARD_TRANSACTION_INITIAL,
    merchant: use.merchant,
    currency: card.currency,
    source_currency: account.currency,
    issuer_transaction_token: use.token,
    hold_id: null,
    held_amount: 0n,
    delegated_key_id: null,
    signature: null,
    authorized_amount: 0n,
    claim_max: 0n,
    unclaimed_amount: 0n,
    settlement_count: 0,
    settled_amount: 0n,
    pull_count: 0,
    pulled_amount: 0n,
    pending_count: 0,
    pending_amount: 0n,
    uncollected_amount: 0n,
    refund_count: 0,
    refunded_amount: 0n,
    version: 1,
    authorized_at: op.now,
    last_event_at: op.now,
    created_at: op.now,
    updated_at: op.now,
  }
}

async function findSource(op: Op, card: CardRow, id: string): Promise<Source> {
  const [account, balances] = await Promise.all([findInternalAccount(op, id), findBalances(op, [id])])
  const isWallet = account.type === 'EMBEDDED_WALLET'
  const key = isWallet ? await selectActiveKey(op, card.id, id) : undefined
  return {
    account,
    key,
    accountId: id,
    currency: account.currency,
    available: balances.get(id)?.available ?? 0n,
    isOpen: account.status === 'ACTIVE',
    isUnlocked: !isWallet || key !== undefined,
  }
}

/** Signs the purchase with the delegated key. */
function signAuthorization(
  op: Op,
  key: DelegatedKeyRow,
  card: CardRow,
  use: AuthorizationEvent,
  { id, claim_max }: Pick<CardTransactionRow, 'id' | 'claim_max'>,
): Uint8Array {
  const { amount, currency, merchant, token } = use
  const statement = {
    cardTransaction: id,
    claimMax: claim_max,
    card: card.id,
    account: key.account_id,
    amount,
    currency,
    merchant,
    token,
  }
  return op.enclave.signDelegated(key.id, key.sealed_key, Buffer.from(toCanonicalJson(statement)))
}
