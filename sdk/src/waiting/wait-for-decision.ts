import type { Answer } from '../client/calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

/** An action requested by an agent, and its outcome. */
export type AgentAction = Answer<'agent_me_action_get'>['body']

/**
 * An action that has been decided.
 * - `APPROVED`: it was executed. `transaction` shows the payment's progress.
 * - `REJECTED`: the platform rejected it.
 * - `FAILED`: a check failed at the approval, or nobody decided in time. `rejectionReason` has the reason.
 */
export type DecidedAction = AgentAction & {
  readonly status: Exclude<AgentAction['status'], 'PENDING_APPROVAL'>
}

/** Nobody has decided within the timeout. */
export class NotDecidedError extends Error {
  override readonly name = 'NotDecidedError'
  readonly action: AgentAction

  constructor(action: AgentAction, timeoutMs: number) {
    super(`${action.id} still waits for approval after ${timeoutMs} ms.`)
    this.action = action
  }
}

/**
 * Polls an action until it has been decided by the policy or the platform, see its `status`. Rejects with
 * NotDecidedError on timeout; the action stays pending.
 */
export async function waitUntilDecided(
  read: (signal: AbortSignal | undefined) => Promise<AgentAction>,
  options: WaitOptions,
): Promise<DecidedAction> {
  const { last, timeoutMs } = await waitUntil(read, isDecided, options)
  if (!isDecided(last)) throw new NotDecidedError(last, timeoutMs)
  return last
}

function isDecided(action: AgentAction): action is DecidedAction {
  return action.status !== 'PENDING_APPROVAL'
}
