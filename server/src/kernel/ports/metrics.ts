import type { AgentDenialRule } from '@countersign/contract/agents/agent-policy'
import type { ErrorCode } from '@countersign/contract/core/errors'
import type { CommitObserver } from '../../storage/commit/committer.ts'
import type { ReplicaOutcome } from '../../storage/read/replica.ts'

/**
 * What is wrong at a chain: nodes that fail, disagree or are of another chain; money that is missing for gas or for payments; a
 * transaction that would cost more than the limit; a reorganisation deeper than the confirmations; work that fails.
 */
export type ChainAlert = 'nodes' | 'gas' | 'treasury' | 'fee-limit' | 'reorganisation' | 'work'

/** A balance of an account that sends payments on a chain, and its low-water mark, in whole coins. */
export interface ChainBalance {
  readonly account: string
  readonly asset: string
  readonly balance: number
  readonly lowWater: number
}

/** The metrics of this process, for Prometheus. Calls never throw and cost at most about a microsecond. */
export interface Metrics extends CommitObserver {
  /**
   * One HTTP answer. `route` is a pattern of the router, undefined where none fits; `status` is undefined where the
   * client disconnected before the answer.
   */
  answered(
    route: string | undefined,
    method: string,
    status: number | undefined,
    code: ErrorCode | undefined,
    seconds: number,
  ): void
  /** For how many seconds events have waited for the same open transaction; 0 where none wait. */
  feedStill(seconds: number): void
  /** Requests that the request log could not keep. */
  requestsNotLogged(count: number): void
  /** This process stood still for so long. */
  paused(ms: number): void
  /** Lines of the log that could not be written. */
  logLinesDropped(count: number): void
  /** Spans of traces that no collector has. */
  spansDropped(count: number): void
  /** `kind` as in `outbox/job-kinds.ts`. */
  job(kind: string, result: 'done' | 'failed'): void
  /** An attempt to deliver a webhook: the status of the answer, or the error code. */
  webhookAttempt(result: number | string): void
  /** Something at the chain of a rail that a person should know of. */
  chainAlert(rail: string, kind: ChainAlert): void
  /** The balances of the accounts of a rail's chain, replacing the earlier ones; an empty list if they cannot be read. */
  chainBalances(rail: string, balances: readonly ChainBalance[]): void
  /** A denial by an agent's policy, by its rule. */
  agentDenied(rule: AgentDenialRule): void
  /** A read that may go to the standby did, would have been too old there, or found it not answering. */
  replicaRead(outcome: ReplicaOutcome): void
  /** An address was looked for on lists; FAILED: nobody could say. */
  screened(outcome: 'CLEAR' | 'HIT' | 'FAILED'): void
  /**
   * The text format of Prometheus. Figures from the database are read at the call, and omitted where it does not
   * answer. `isReady` says whether the database can be used, as `/readyz` does.
   */
  text(isReady: () => Promise<boolean>): Promise<string>
  readonly contentType: string
}
