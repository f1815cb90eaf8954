import type { AgentDenialRule } from '@countersign/contract/agents/agent-policy'
import type { ErrorCode } from '@countersign/contract/core/errors'
import type { WatchName } from '@countersign/contract/operation/watches'
import type { CommitObserver } from '../../storage/commit/committer.ts'
import type { ReplicaOutcome } from '../../storage/read/replica.ts'

/**
 * Problems of a chain: nodes that fail, disagree or are of another chain; too little money for gas or
 * payments; a transaction that would cost more than the limit; a reorganization deeper than the
 * confirmations; failing work.
 */
export type ChainAlert = 'nodes' | 'gas' | 'treasury' | 'fee-limit' | 'reorganisation' | 'work'

/** A balance of an account that sends payments on a chain, and its low-water mark, in whole coins. */
export interface ChainBalance {
  readonly account: string
  readonly asset: string
  readonly balance: number
  readonly lowWater: number
}

/** A watched value in whole units. */
export interface WatchFigure {
  readonly watch: WatchName
  /** Empty for the server itself. */
  readonly platform: string
  readonly subject: string
  readonly unit: string
  readonly value: number
  readonly limit: number
}

/** The metrics of this process, for Prometheus. Calls never throw and cost at most about a microsecond. */
export interface Metrics extends CommitObserver {
  /**
   * One HTTP response. `route` is a router pattern, undefined if none matches; `status` is undefined if the
   * client disconnected first.
   */
  recordResponse(
    route: string | undefined,
    method: string,
    status: number | undefined,
    code: ErrorCode | undefined,
    seconds: number,
  ): void
  /** Seconds for which events have waited for the same open transaction; 0 if none wait. */
  feedStill(seconds: number): void
  /** Requests that the request log dropped. */
  requestsNotLogged(count: number): void
  /** Time for which this process was paused. */
  recordPause(ms: number): void
  /** Dropped log lines. */
  logLinesDropped(count: number): void
  /** Spans that no collector received. */
  spansDropped(count: number): void
  /** `kind` as in `outbox/job-kinds.ts`. */
  job(kind: string, result: 'done' | 'failed'): void
  /** A delivery attempt of a webhook: the response's status, or the error code. */
  webhookAttempt(result: number | string): void
  /** A chain problem that a person should look at. */
  chainAlert(rail: string, kind: ChainAlert): void
  /**
   * The balances of the accounts on a rail's chain, replacing the earlier ones; an empty list if they cannot
   * be read.
   */
  chainBalances(rail: string, balances: readonly ChainBalance[]): void
  /** Everything watched now, replacing the earlier values; undefined if it cannot be read. */
  setWatched(readings: readonly WatchFigure[] | undefined): void
  /** A denial by an agent's policy, by its rule. */
  agentDenied(rule: AgentDenialRule): void
  /** The outcome of a read that may use the standby. */
  replicaRead(outcome: ReplicaOutcome): void
  /** An address was screened; FAILED: screening was unavailable. */
  recordScreening(outcome: 'CLEAR' | 'HIT' | 'FAILED'): void
  /**
   * The text format of Prometheus. Values from the database are read at the call, and omitted if it is
   * unavailable. `isReady` is the check of `/readyz`.
   */
  text(isReady: () => Promise<boolean>): Promise<string>
  readonly contentType: string
}
