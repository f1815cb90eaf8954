import type { AgentDenialRule } from '@countersign/contract/agents/agent-policy'
import type { ErrorCode } from '@countersign/contract/core/errors'
import type { WatchName } from '@countersign/contract/operation/watches'
import type { CommitObserver } from '../../storage/commit/committer.ts'
import type { ReplicaOutcome } from '../../storage/read/replica.ts'

/**
 * Problems of a chain: nodes that fail, disagree or belong to another chain; too little money for gas or
 * payments; a transaction that would exceed the fee limit; a reorganization deeper than the confirmations; a
 * worker that fails.
 */
export type ChainAlert = 'nodes' | 'gas' | 'treasury' | 'fee-limit' | 'reorganisation' | 'work'

/** The balance of an account that sends payments on a chain, and its low-water mark, in whole coins. */
export interface ChainBalance {
  readonly account: string
  readonly asset: string
  readonly balance: number
  readonly lowWater: number
}

/** A monitored value in whole units. */
export interface WatchFigure {
  readonly watch: WatchName
  /** Empty for the server as a whole. */
  readonly platform: string
  readonly subject: string
  readonly unit: string
  readonly value: number
  readonly limit: number
}

/** The metrics of this process, for Prometheus. Calls never throw, and take at most about a microsecond. */
export interface Metrics extends CommitObserver {
  /**
   * Records one HTTP response. `route` is the pattern of the router, undefined if none matched. `status` is
   * undefined if the client disconnected first.
   */
  recordResponse(
    route: string | undefined,
    method: string,
    status: number | undefined,
    code: ErrorCode | undefined,
    seconds: number,
  ): void
  /** The seconds for which events have been waiting for the same open transaction; 0 if none wait. */
  feedStill(seconds: number): void
  /** Counts requests dropped by the request log. */
  requestsNotLogged(count: number): void
  /** Records how long this process was paused. */
  recordPause(ms: number): void
  /** Counts dropped log lines. */
  logLinesDropped(count: number): void
  /** Counts spans that no collector has received. */
  spansDropped(count: number): void
  /** `kind` as in `outbox/job-kinds.ts`. */
  job(kind: string, result: 'done' | 'failed'): void
  /** A delivery attempt of a webhook: the status of the response, or the error code. */
  webhookAttempt(result: number | string): void
  /** A problem of a chain that a person should look into. */
  chainAlert(rail: string, kind: ChainAlert): void
  /**
   * The balances of the accounts on a rail's chain, replacing the earlier ones. Empty if they cannot be read.
   */
  chainBalances(rail: string, balances: readonly ChainBalance[]): void
  /** All values monitored now, replacing the earlier ones. Undefined if they cannot be read. */
  setWatched(readings: readonly WatchFigure[] | undefined): void
  /** A denial by an agent's policy, by rule. */
  agentDenied(rule: AgentDenialRule): void
  /** The outcome of a read that may use the standby. */
  replicaRead(outcome: ReplicaOutcome): void
  /** The outcome of screening an address. FAILED means that screening was unavailable. */
  recordScreening(outcome: 'CLEAR' | 'HIT' | 'FAILED'): void
  /**
   * All metrics in the text format of Prometheus. Values from the database are read now, and omitted if it is
   * unavailable. `isReady` is the check of `/readyz`.
   */
  text(isReady: () => Promise<boolean>): Promise<string>
  readonly contentType: string
}
