import { AUTHORIZATION_SECONDS } from '@countersign/contract/cards'
import { balanceUpdated, findInternalAccount } from '../accounts/accounts.ts'
import { type Op, plusSeconds } from '../app.ts'
import { isDeleted } from '../customers/customers.ts'
import type { CardRow, CardTransactionRow, DelegatedKeyRow } from '../db/card-tables.ts'
import type { InternalAccountRow } from '../db/tables.ts'
import { expectRow, insert } from '../db/writes.ts'
import { job } from '../jobs/jobs.ts'
import { toCanonicalJson } from '../json.ts'
import { findBalances, hold } from '../ledger/ledger.ts'
import { type CardDecision, decideUse, type FundingSource } from './decide.ts'
import type { AuthorizationEvent } from './processor.ts'
import { selectActiveKey } from './store.ts'
import { causeOf, type MovedPurchase } from './transactions.ts'

interface Source extends FundingSource {
  readonly account: InternalAccountRow
  readonly key: DelegatedKeyRow | undefined
}

/**
 * Decides whether a card pays and holds what it pays. Guards: the card has not changed, the key has not been revoked, the
 * source can spend it. `row` is undefined for a decline.
 */
export async function authorize(
  op: Op,
  card: CardRow,
  use: AuthorizationEvent,
): Promise<{ readonly decision: CardDecision } & Partial<MovedPurchase>> {
  if (use.declined) return { decision: { isApproved: false, reason: use.declined } }
  const [holderIsDeleted, ...sources] = await Promise.all([
    isDeleted(op, card.cardholder_id),
    ...card.funding_sources.map((id) => findSource(op, card, id)),
  ])
  const decision = decideUse(card, { isDeleted: holderIsDeleted }, sources, use)
  if (!decision.isApproved) return { decision }
  const { account, key } = sources.find(({ accountId }) => accountId === decision.accountId)!
  const id = op.newId('CardTransaction')
  const { holdId, write } = hold(op, causeOf({ id }), account.id, use.amount)
  const row: CardTransactionRow = {
    id,
    platform_id: op.platform.id,
    card_id: card.id,
    account_id: account.id,
    state: 'AUTHORIZED',
    merchant: use.merchant,
    currency: use.currency,
    issuer_transaction_token: use.token,
    hold_id: holdId,
    delegated_key_id: key?.id ?? null,
    signature: key ? signed(op, key, card, use, id) : null,
    authorized_amount: use.amount,
    unclaimed_amount: use.amount,
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
  return {
    decision,
    row,
    writes: [
      expectRow('cards', card.id, { version: card.version }),
      ...(key ? [expectRow('delegated_keys', key.id, { status: 'ACTIVE' })] : []),
      write,
      insert('card_transactions', row),
      balanceUpdated(op, account),
      job(
        op,
        'card-transaction.expire',
        { cardTransactionId: id },
        plusSeconds(op.now, AUTHORIZATION_SECONDS),
      ),
    ],
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

/** The key's word for this payment, kept with it. */
function signed(
  op: Op,
  key: DelegatedKeyRow,
  card: CardRow,
  use: AuthorizationEvent,
  id: string,
): Uint8Array {
  const { amount, currency, merchant, token } = use
  const statement = {
    cardTransaction: id,
    card: card.id,
    account: key.account_id,
    amount,
    currency,
    merchant,
    token,
  }
  return op.enclave.signDelegated(key.id, key.sealed_key, Buffer.from(toCanonicalJson(statement)))
}
