import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import type { ChainAddressRow, ChainMovementRow, ChainPaymentRow } from '../../../storage/rows/chain.ts'
import { proveTransfers } from '../formats/transfer-proof.ts'
import { type Claim, claimsOf, termsOf } from './claims.ts'
import type { RangeRead, Seen } from './read-range.ts'
import { selectPlainPayments } from './store.ts'

/** One side of a transfer, and its meaning for us. */
export interface Sighting {
  readonly seen: Seen
  readonly kind: ChainMovementRow['kind']
  /**
   * OUT: the other side of a transfer that counts twice, or money that left an address without one of our
   * payments.
   */
  readonly side: 'IN' | 'OUT'
  readonly from: ChainAddressRow | undefined
  readonly to: ChainAddressRow | undefined
  readonly payment: ChainPaymentRow | undefined
}

/**
 * Classifies the transfers of a range. `proveTransfers` proves our payments: by their authorizations, or a
 * plain transfer by its transaction, which only we could sign.
 */
export async function sightingsOf(op: Op, rail: string, read: RangeRead): Promise<Sighting[]> {
  const expected = await findExpected(op, rail, read)
  const proved = new Map([...expected].flatMap(([hash, claims]) => paymentsByLog(hash, claims, read)))
  return read.seen.flatMap((seen) => {
    const from = read.ours.get(seen.sender)
    const to = read.ours.get(seen.recipient)
    const payment = proved.get(placeOf(seen))
    return sidesOf(from, to, payment).map((one) => ({ ...one, seen, from, to, payment }))
  })
}

function placeOf({ blockNumber, logIndex }: Pick<Seen, 'blockNumber' | 'logIndex'>): string {
  return `${blockNumber} ${logIndex}`
}

/** The payments of a transaction, by the logs that prove them. */
function paymentsByLog(hash: Hex, claims: readonly Claim[], read: RangeRead): [string, ChainPaymentRow][] {
  const logs = read.logs.get(hash) ?? []
  const proofs = proveTransfers({ transactionHash: hash, status: 'success', logs }, claims)
  const place = new Map(logs.map((log) => [log.logIndex, placeOf(log)]))
  return claims.flatMap(({ payment }, at) => {
    const proof = proofs[at]
    const found = proof?.is === 'made' ? place.get(proof.log.logIndex) : undefined
    return found === undefined ? [] : [[found, payment]]
  })
}

function sidesOf(
  from: ChainAddressRow | undefined,
  to: ChainAddressRow | undefined,
  payment: ChainPaymentRow | undefined,
): Pick<Sighting, 'kind' | 'side'>[] {
  if (payment && to?.role !== 'COLD') return [{ kind: to ? 'OWN' : 'PAYMENT', side: 'IN' }]
  if (payment?.kind === 'MOVE') return [{ kind: 'TO_COLD', side: 'IN' }]
  // A payment that began before its payee was registered as cold storage.
  if (payment)
    return [
      { kind: 'PAYMENT', side: 'IN' },
      { kind: 'COLD_IN', side: 'OUT' },
    ]
  if (from && from === to) return [{ kind: 'OWN', side: 'IN' }]
  if (from?.role === 'COLD' && to && to.role !== 'WALLET')
    return [{ kind: to.role === 'COLD' ? 'OWN' : 'FROM_COLD', side: 'IN' }]
  // A wallet owner who directly pays another of our addresses spends here and deposits there.
  return [
    ...(from ? [{ kind: from.role === 'COLD' ? 'COLD_OUT' : 'SPENT', side: 'OUT' } as const] : []),
    ...(to ? [{ kind: to.role === 'COLD' ? 'COLD_IN' : 'DEPOSIT', side: 'IN' } as const] : []),
  ]
}

/** Our payments that transactions of a range may have made. */
async function findExpected(
  op: Op,
  rail: string,
  { seen, used, ours, logs }: RangeRead,
): Promise<Map<Hex, Claim[]>> {
  const expected = new Map<Hex, Claim[]>()
  const add = (hash: Hex, claim: Claim) => expected.set(hash, [...(expected.get(hash) ?? []), claim])
  // A use without one of our transfers has moved nothing to book.
  for (const claim of await claimsOf(
    op,
    rail,
    used.filter(({ transactionHash }) => logs.has(transactionHash)),
  ))
    add(claim.transactionHash, claim)
  const outgoing = new Set(
    seen
      .filter(({ sender, transactionHash }) => ours.has(sender) && !expected.has(transactionHash))
      .map(({ transactionHash }) => transactionHash),
  )
  if (outgoing.size > 0)
    for (const { payment, hashes } of await selectPlainPayments(op, rail, [...outgoing]))
      for (const hash of hashes)
        if (outgoing.has(hash)) add(hash, { payment, ...termsOf(payment), by: { hashes } })
  return expected
}
