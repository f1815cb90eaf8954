import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import type { ChainAddressRow, ChainMovementRow, ChainPaymentRow } from '../../../storage/rows/chain.ts'
import { proveTransfers } from '../formats/transfer-proof.ts'
import { type Claim, findClaims, toTerms } from './claims.ts'
import type { RangeRead, SeenTransfer } from './read-range.ts'
import { selectPlainPayments } from './store.ts'

/** One side of a transfer, and what it means to us. */
export interface Sighting {
  readonly seen: SeenTransfer
  readonly kind: ChainMovementRow['kind']
  /**
   * `OUT`: the second side of a transfer that is recorded twice, or money that left an address without one of
   * our payments.
   */
  readonly side: 'IN' | 'OUT'
  readonly from: ChainAddressRow | undefined
  readonly to: ChainAddressRow | undefined
  readonly payment: ChainPaymentRow | undefined
}

/**
 * Classifies the transfers of a range. `proveTransfers` identifies our payments: by their authorization, or,
 * for a plain transfer, by its transaction, which only we could have signed.
 */
export async function classifyTransfers(op: Op, rail: string, read: RangeRead): Promise<Sighting[]> {
  const expected = await findExpected(op, rail, read)
  const paymentsByPosition = new Map(
    [...expected].flatMap(([hash, claims]) => mapLogsToPayments(hash, claims, read)),
  )
  return read.seen.flatMap((seen) => {
    const from = read.ours.get(seen.sender)
    const to = read.ours.get(seen.recipient)
    const payment = paymentsByPosition.get(toPositionKey(seen))
    return classifySides(from, to, payment).map((side) => ({ ...side, seen, from, to, payment }))
  })
}

function toPositionKey({ blockNumber, logIndex }: Pick<SeenTransfer, 'blockNumber' | 'logIndex'>): string {
  return `${blockNumber} ${logIndex}`
}

/** Maps the logs of a transaction to the payments that they prove. */
function mapLogsToPayments(
  hash: Hex,
  claims: readonly Claim[],
  read: RangeRead,
): [string, ChainPaymentRow][] {
  const logs = read.logs.get(hash) ?? []
  const proofs = proveTransfers({ transactionHash: hash, status: 'success', logs }, claims)
  const positions = new Map(logs.map((log) => [log.logIndex, toPositionKey(log)]))
  return claims.flatMap(({ payment }, index) => {
    const proof = proofs[index]
    const found = proof?.outcome === 'made' ? positions.get(proof.log.logIndex) : undefined
    return found === undefined ? [] : [[found, payment]]
  })
}

function classifySides(
  from: ChainAddressRow | undefined,
  to: ChainAddressRow | undefined,
  payment: ChainPaymentRow | undefined,
): Pick<Sighting, 'kind' | 'side'>[] {
  if (payment && to?.role !== 'COLD') return [{ kind: to ? 'OWN' : 'PAYMENT', side: 'IN' }]
  if (payment?.kind === 'MOVE') return [{ kind: 'TO_COLD', side: 'IN' }]
  // The payment was made before its payee was registered as cold storage.
  if (payment)
    return [
      { kind: 'PAYMENT', side: 'IN' },
      { kind: 'COLD_IN', side: 'OUT' },
    ]
  if (from && from === to) return [{ kind: 'OWN', side: 'IN' }]
  if (from?.role === 'COLD' && to && to.role !== 'WALLET')
    return [{ kind: to.role === 'COLD' ? 'OWN' : 'FROM_COLD', side: 'IN' }]
  // A wallet owner who directly pays another of our addresses: money spent by the wallet and deposited at the
  // other address.
  return [
    ...(from ? [{ kind: from.role === 'COLD' ? 'COLD_OUT' : 'SPENT', side: 'OUT' } as const] : []),
    ...(to ? [{ kind: to.role === 'COLD' ? 'COLD_IN' : 'DEPOSIT', side: 'IN' } as const] : []),
  ]
}

/** Finds our payments that the transactions of a range may have made. */
async function findExpected(
  op: Op,
  rail: string,
  { seen, used, ours, logs }: RangeRead,
): Promise<Map<Hex, Claim[]>> {
  const expected = new Map<Hex, Claim[]>()
  const addClaim = (hash: Hex, claim: Claim) => expected.set(hash, [...(expected.get(hash) ?? []), claim])
  // An authorization used without a transfer of our money has nothing to book.
  for (const claim of await findClaims(
    op,
    rail,
    used.filter(({ transactionHash }) => logs.has(transactionHash)),
  ))
    addClaim(claim.transactionHash, claim)
  const outgoing = new Set(
    seen
      .filter(({ sender, transactionHash }) => ours.has(sender) && !expected.has(transactionHash))
      .map(({ transactionHash }) => transactionHash),
  )
  if (outgoing.size > 0)
    for (const { payment, hashes } of await selectPlainPayments(op, rail, [...outgoing]))
      for (const hash of hashes)
        if (outgoing.has(hash)) addClaim(hash, { payment, ...toTerms(payment), by: { hashes } })
  return expected
}
