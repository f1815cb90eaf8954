import { createHash } from 'node:crypto'
import { agentMoneyIsBack } from './agent-money-is-back.ts'
import { agentPaymentEnded } from './agent-payment-ended.ts'
import { agentReleased } from './agent-released.ts'
import { agentReserved } from './agent-reserved.ts'
import { appendOnly } from './append-only.ts'
import { commitTogether } from './commit-together.ts'
import { customerOpenPayments } from './customer-open-payments.ts'
import { feedNode } from './feed-node.ts'
import { fxInFlight } from './fx-in-flight.ts'
import { keyDigest } from './key-digest.ts'
import { lastSequence } from './last-sequence.ts'
import { ledgerClose } from './ledger-close.ts'
import { ledgerEndedLate } from './ledger-ended-late.ts'
import { ledgerTransferEndsOnce } from './ledger-transfer-ends-once.ts'
import { neverDeleted } from './never-deleted.ts'
import { onlyErased } from './only-erased.ts'
import { platformSucceeded } from './platform-succeeded.ts'
import { queueEndedTransfers } from './queue-ended-transfers.ts'
import { reconciliationMatchSums } from './reconciliation-match-sums.ts'
import { refuseConfigOfSameVersion } from './refuse-config-of-same-version.ts'
import { refuseMovedFeed } from './refuse-moved-feed.ts'
import { refuseOlderDataKey } from './refuse-older-data-key.ts'
import { refuseOlderGeneration } from './refuse-older-generation.ts'
import { refuseTogether } from './refuse-together.ts'
import { rowOf } from './row-of.ts'
import { sealedGeneration } from './sealed-generation.ts'
import { velocityUsed } from './velocity-used.ts'
import { withBalances } from './with-balances.ts'
import { writeInsert } from './write-insert.ts'

/** Increment with every change to the SQL of a function, after which older builds reject the database. */
export const FUNCTIONS_VERSION = 18

/** A database function and the triggers that call it. */
export interface SqlFunction {
  readonly name: string
  /** Arguments and result, without comments. If they change, the function is dropped and created again. */
  readonly signature: string
  readonly hash: string
  readonly sql: string
}

/** All functions, each after the ones that it calls. */
export const FUNCTIONS: readonly SqlFunction[] = [
  rowOf,
  writeInsert,
  keyDigest,
  withBalances,
  lastSequence,
  customerOpenPayments,
  ledgerClose,
  reconciliationMatchSums,
  refuseOlderGeneration,
  feedNode,
  refuseMovedFeed,
  refuseTogether,
  commitTogether,
  ledgerTransferEndsOnce,
  ledgerEndedLate,
  neverDeleted,
  agentMoneyIsBack,
  agentReserved,
  agentReleased,
  agentPaymentEnded,
  fxInFlight,
  platformSucceeded,
  refuseConfigOfSameVersion,
  sealedGeneration,
  refuseOlderDataKey,
  appendOnly,
  onlyErased,
  queueEndedTransfers,
  velocityUsed,
].map(parseSqlFunction)

/** Parses name and signature from the SQL, which begins with `CREATE OR REPLACE FUNCTION`. */
export function parseSqlFunction(sql: string): SqlFunction {
  const [, name, header] = /^\s*CREATE OR REPLACE FUNCTION (\w+)(.+?)\sLANGUAGE /s.exec(sql) ?? []
  if (!name || !header) throw new Error(`not a function of the database: ${sql.slice(0, 80)}`)
  const signature = header.replace(/--.*/g, '').replace(/\s+/g, ' ').trim()
  return { name, signature, hash: hashText(sql), sql }
}

export function hashFunctions(functions: readonly SqlFunction[]): string {
  return hashText(functions.map(({ hash }) => hash).join())
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
