import type { Hex } from '../../../base/formats/hex.ts'
import type { ChainLog } from '../../../kernel/ports/chain-nodes.ts'
import { isSameTransfer, parseTransfer, parseUsedAuthorization, type TransferTerms } from './transfers.ts'

/** One of our transfers that a transaction may have made. */
export interface ExpectedTransfer extends TransferTerms {
  readonly token: Hex
  /**
   * Either the nonce of its authorization (EIP-3009), or the hashes of all signed forms of a plain transfer.
   */
  readonly by: { readonly nonce: Hex } | { readonly hashes: readonly Hex[] }
}

/** A transaction in a block, with its relevant logs. */
export interface TransactionEvidence {
  readonly transactionHash: Hex
  readonly status: 'success' | 'reverted'
  readonly logs: readonly Pick<ChainLog, 'address' | 'topics' | 'data' | 'logIndex'>[]
}

type Log = TransactionEvidence['logs'][number]

/**
 * The evidence that a transaction gives for a transfer. `made`: it used the authorization, and the token
 * reports exactly this transfer. `used-otherwise`: it used the authorization without this transfer, which can
 * therefore never be made.
 */
export type TransferProof =
  | { readonly outcome: 'made'; readonly log: Log }
  | { readonly outcome: 'used-otherwise' }
  | { readonly outcome: 'not-yet' }

/**
 * Returns what one transaction proves about each expected transfer, in the order of `expected`. A log proves
 * at most one of them. The result does not depend on the order of logs or expected transfers.
 */
export function proveTransfers(
  evidence: TransactionEvidence,
  expected: readonly ExpectedTransfer[],
): readonly TransferProof[] {
  const logs = [...evidence.logs].sort((a, b) => a.logIndex - b.logIndex)
  const uses = findUses({ ...evidence, logs }, expected)
  const free = new Set(logs)
  const provenLogs = new Map<number, Log>()
  const assignLog = (position: number, log: Log | undefined) => {
    if (!log) return
    free.delete(log)
    provenLogs.set(position, log)
  }
  const usesInOrder = [...uses].sort(([, a], [, b]) => a - b)
  // Match each transfer to the use right before it first, so that identical transfers each get their own log.
  for (const [position, index] of usesInOrder)
    assignLog(position, findOwnTransfer(logs, free, expected[position], index))
  for (const [position] of usesInOrder)
    if (!provenLogs.has(position))
      assignLog(
        position,
        [...free].find((log) => isTransferLog(log, expected[position])),
      )
  return expected.map((_, position) => {
    const log = provenLogs.get(position)
    if (log) return { outcome: 'made', log }
    return { outcome: uses.has(position) ? 'used-otherwise' : 'not-yet' }
  })
}

/**
 * Finds the expected transfers whose authorization was used, by index in `expected`, with the index of the
 * log that reports the use (-1 if matched by transaction hash).
 */
function findUses(
  { transactionHash, status, logs }: TransactionEvidence,
  expected: readonly ExpectedTransfer[],
): ReadonlyMap<number, number> {
  const uses = new Map<number, number>()
  if (status !== 'success') return uses
  const matched = new Set<Log>()
  for (const [position, { by, token, sender }] of expected.entries()) {
    if ('hashes' in by) {
      if (by.hashes.includes(transactionHash)) uses.set(position, -1)
      continue
    }
    const use = logs.find((log) => {
      if (matched.has(log) || log.address !== token) return false
      const used = parseUsedAuthorization(log)
      return used?.authorizer === sender && used.nonce === by.nonce
    })
    if (!use) continue
    matched.add(use)
    uses.set(position, use.logIndex)
  }
  return uses
}

/** Finds the transfer among the token's logs between one use and the next. */
function findOwnTransfer(
  logs: readonly Log[],
  free: ReadonlySet<Log>,
  expected: ExpectedTransfer | undefined,
  useIndex: number,
): Log | undefined {
  const after = logs.filter(({ logIndex, address }) => logIndex > useIndex && address === expected?.token)
  const end = after.findIndex((log) => parseUsedAuthorization(log) !== undefined)
  const own = end < 0 ? after : after.slice(0, end)
  return own.find((log) => free.has(log) && isTransferLog(log, expected))
}

function isTransferLog(log: Log, expected: ExpectedTransfer | undefined): boolean {
  return (
    expected !== undefined && log.address === expected.token && isSameTransfer(parseTransfer(log), expected)
  )
}
