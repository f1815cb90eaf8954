import type { Hex } from '../../../base/formats/hex.ts'
import type { ChainLog } from '../../../kernel/ports/chain-nodes.ts'
import { isSameTransfer, readUsed, type TransferTerms, transferOf } from './transfers.ts'

/** One of our transfers, which a transaction may have made. */
export interface ExpectedTransfer extends TransferTerms {
  readonly token: Hex
  /** The nonce of its authorization (EIP-3009), or the hashes of our signed forms of a plain transfer. */
  readonly by: { readonly nonce: Hex } | { readonly hashes: readonly Hex[] }
}

/** A transaction in a block, with the logs that count. */
export interface TransactionEvidence {
  readonly transactionHash: Hex
  readonly status: 'success' | 'reverted'
  readonly logs: readonly Pick<ChainLog, 'address' | 'topics' | 'data' | 'logIndex'>[]
}

type Log = TransactionEvidence['logs'][number]

/**
 * The proof of a transfer by a transaction. `made`: it used the authorization, and the token reports exactly
 * this transfer. `used-otherwise`: it used the authorization without this transfer, which can therefore never
 * be made.
 */
export type TransferProof =
  | { readonly is: 'made'; readonly log: Log }
  | { readonly is: 'used-otherwise' }
  | { readonly is: 'not-yet' }

/**
 * Proofs of the transfers that one transaction may have made, in the order of `expected`. Each log counts for one of them. The result
 * does not depend on the order of logs or expected transfers.
 */
export function proveTransfers(
  evidence: TransactionEvidence,
  expected: readonly ExpectedTransfer[],
): readonly TransferProof[] {
  const logs = [...evidence.logs].sort((a, b) => a.logIndex - b.logIndex)
  const uses = usesOf({ ...evidence, logs }, expected)
  const free = new Set(logs)
  const made = new Map<number, Log>()
  const take = (at: number, log: Log | undefined) => {
    if (!log) return
    free.delete(log)
    made.set(at, log)
  }
  const inOrder = [...uses].sort(([, one], [, other]) => one - other)
  // First matches each transfer to the use right before it: identical transfers each get their own.
  for (const [at, index] of inOrder) take(at, ownTransfer(logs, free, expected[at], index))
  for (const [at] of inOrder)
    if (!made.has(at))
      take(
        at,
        [...free].find((log) => isTransferLog(log, expected[at])),
      )
  return expected.map((_, at) => {
    const log = made.get(at)
    if (log) return { is: 'made', log }
    return { is: uses.has(at) ? 'used-otherwise' : 'not-yet' }
  })
}

/**
 * The expected transfers whose authorization was used, by place, with the index of the log that reports it
 * (-1: by its hash).
 */
function usesOf(
  { transactionHash, status, logs }: TransactionEvidence,
  expected: readonly ExpectedTransfer[],
): ReadonlyMap<number, number> {
  const uses = new Map<number, number>()
  if (status !== 'success') return uses
  const taken = new Set<Log>()
  for (const [at, { by, token, sender }] of expected.entries()) {
    if ('hashes' in by) {
      if (by.hashes.includes(transactionHash)) uses.set(at, -1)
      continue
    }
    const use = logs.find((log) => {
      if (taken.has(log) || log.address !== token) return false
      const used = readUsed(log)
      return used?.authorizer === sender && used.nonce === by.nonce
    })
    if (!use) continue
    taken.add(use)
    uses.set(at, use.logIndex)
  }
  return uses
}

/** The transfer among the logs of its token between a use and the next one. */
function ownTransfer(
  logs: readonly Log[],
  free: ReadonlySet<Log>,
  expected: ExpectedTransfer | undefined,
  useIndex: number,
): Log | undefined {
  const after = logs.filter(({ logIndex, address }) => logIndex > useIndex && address === expected?.token)
  const end = after.findIndex((log) => readUsed(log) !== undefined)
  const own = end < 0 ? after : after.slice(0, end)
  return own.find((log) => free.has(log) && isTransferLog(log, expected))
}

function isTransferLog(log: Log, expected: ExpectedTransfer | undefined): boolean {
  return expected !== undefined && log.address === expected.token && isSameTransfer(transferOf(log), expected)
}
