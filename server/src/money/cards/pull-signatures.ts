import { requireValue } from '../../base/formats/require-value.ts'
import { toCanonicalJson } from '../../base/json/json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { CardTransactionRow } from '../../storage/rows/card.ts'
import { selectDelegatedKey } from './store.ts'

/**
 * Signs the latest pull of a purchase with the key that authorized the purchase. Returns nothing if no wallet
 * pays. `after` is the purchase including the pull; `amount` is in the smallest unit of the wallet.
 */
export async function signPull(op: Op, after: CardTransactionRow, amount: bigint): Promise<Write[]> {
  if (after.delegated_key_id === null) return []
  const key = requireValue(
    await selectDelegatedKey(op, after.delegated_key_id),
    'key that authorized the purchase',
  )
  const statement = toCanonicalJson({
    cardTransaction: after.id,
    card: after.card_id,
    account: after.account_id,
    pull: after.pull_count,
    amount,
    currency: after.source_currency,
    claimMax: after.claim_max,
  })
  const signature = op.enclave.signDelegated(key.id, key.sealed_key, Buffer.from(statement))
  return [
    insert('card_pull_signatures', {
      card_transaction_id: after.id,
      number: after.pull_count,
      platform_id: op.platform.id,
      delegated_key_id: key.id,
      statement,
      signature,
      created_at: op.now,
    }),
  ]
}
