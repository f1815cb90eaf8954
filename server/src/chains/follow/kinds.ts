import type { ChainAddressRow, ChainMovementRow, ChainPaymentRow } from '../../db/schema/chain-tables.ts'
import type { Hex } from '../../formats/hex.ts'
import type { Op } from '../../op/app.ts'
import type { RangeRead, Seen } from './ranges.ts'
import { selectPaymentsByNonce, selectPlainPayments } from './store.ts'

/** One side of a transfer, and what it is to us. */
export interface Sighting {
  readonly seen: Seen
  readonly kind: ChainMovementRow['kind']
  /** OUT: what has left an address for no payment of ours. */
  readonly side: 'IN' | 'OUT'
  readonly from: ChainAddressRow | undefined
  readonly to: ChainAddressRow | undefined
  readonly payment: ChainPaymentRow | undefined
}

/** What a payment of ours moves: its amount, or the fee of a wallet's payment. */
interface Part {
  readonly payment: ChainPaymentRow
  readonly sender: Hex
  readonly recipient: Hex
  readonly amount: bigint
}

/**
 * What the transfers of a range are. A payment of ours is known by its authorization, which its transaction has used, whoever
 * brought it there; a plain transfer by the transaction itself, which only we could sign.
 */
export async function sightingsOf(op: Op, rail: string, read: RangeRead): Promise<Sighting[]> {
  const parts = await partsOf(op, rail, read)
  return read.seen.flatMap((seen) => {
    const from = read.ours.get(seen.sender)
    const to = read.ours.get(seen.recipient)
    const payment = from && takenOf(parts.get(seen.transactionHash), seen)?.payment
    return sidesOf(from, to, payment).map((one) => ({ ...one, seen, from, to, payment }))
  })
}

function sidesOf(
  from: ChainAddressRow | undefined,
  to: ChainAddressRow | undefined,
  payment: ChainPaymentRow | undefined,
): Pick<Sighting, 'kind' | 'side'>[] {
  if (payment) return [{ kind: to ? 'OWN' : 'PAYMENT', side: 'IN' }]
  if (from && from === to) return [{ kind: 'OWN', side: 'IN' }]
  // Who pays another address of ours by the own key spends here and pays in there.
  return [
    ...(from ? [{ kind: 'SPENT', side: 'OUT' } as const] : []),
    ...(to ? [{ kind: 'DEPOSIT', side: 'IN' } as const] : []),
  ]
}

async function partsOf(op: Op, rail: string, { seen, used, ours }: RangeRead): Promise<Map<Hex, Part[]>> {
  const parts = new Map<Hex, Part[]>()
  const add = (transactionHash: Hex, part: Part) =>
    parts.set(transactionHash, [...(parts.get(transactionHash) ?? []), part])
  if (used.length > 0) {
    const authorizers = [...new Set(used.map(({ authorizer }) => authorizer))]
    const nonces = used.map(({ nonce }) => nonce)
    const payments = await selectPaymentsByNonce(op, rail, authorizers, nonces)
    for (const { transactionHash, authorizer, nonce } of used) {
      const part = partOf(payments, authorizer, nonce)
      if (part) add(transactionHash, part)
    }
  }
  const outgoing = new Set(
    seen
      .filter(({ sender, transactionHash }) => ours.has(sender) && !parts.has(transactionHash))
      .map(({ transactionHash }) => transactionHash),
  )
  if (outgoing.size > 0)
    for (const { payment, hashes } of await selectPlainPayments(op, rail, [...outgoing]))
      for (const hash of hashes) add(hash, wholeOf(payment))
  return parts
}

function partOf(payments: readonly ChainPaymentRow[], authorizer: Hex, nonce: Hex): Part | undefined {
  const payment = payments.find(
    (one) => one.sender === authorizer && (one.nonce === nonce || one.fee_nonce === nonce),
  )
  if (!payment) return undefined
  if (payment.nonce === nonce) return wholeOf(payment)
  const { fee_recipient: recipient, fee_amount: amount } = payment
  return recipient === null || amount === null
    ? undefined
    : { payment, sender: authorizer, recipient, amount }
}

function wholeOf(payment: ChainPaymentRow): Part {
  const { sender, recipient, amount } = payment
  return { payment, sender, recipient, amount }
}

/** The part that a transfer moves; it moves no other. */
function takenOf(parts: Part[] | undefined, seen: Seen): Part | undefined {
  const at = parts?.findIndex(
    ({ sender, recipient, amount }) =>
      sender === seen.sender && recipient === seen.recipient && amount === seen.amount,
  )
  return at === undefined || at < 0 ? undefined : parts?.splice(at, 1)[0]
}
