import type { AgentDenialRule } from '@countersign/contract/agents/agent-policy'
import type { ErrorCode } from '@countersign/contract/core/errors'
import type { CommitObserver } from '../db/commit/committer.ts'

/** What this process counts about itself, for Prometheus. Calls never throw and cost about a microsecond at most. */
export interface Metrics extends CommitObserver {
  /**
   * One HTTP answer. `route` is a pattern of the router, undefined where none fits; `status` is undefined where the
   * client was gone before the answer.
   */
  answered(
    route: string | undefined,
    method: string,
    status: number | undefined,
    code: ErrorCode | undefined,
    seconds: number,
  ): void
  /** `kind` as in `jobs/kinds.ts`. */
  job(kind: string, result: 'done' | 'failed'): void
  /** A try to deliver a webhook: the status of the answer, or the code of what kept it away. */
  webhookAttempt(result: number | string): void
  /** A no of an agent's policy, by the rule that said it. */
  agentDenied(rule: AgentDenialRule): void
  /** The text format of Prometheus. What the database says is asked for now, and left out where it does not answer. */
  text(): Promise<string>
  readonly contentType: string
}
