import type { Answer } from '../client/calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

/** An action with money that an agent requested, and its outcome. */
export type AgentAction = Answer<'agent_me_action_get'>['body']

/**
 * An action that no longer waits.
 * - `APPROVED`: it was executed, and `transaction` shows the payment's progress.
 * - `REJECTED`: the platform rejected it.
 * - `FAILED`: a check failed at the approval, or nobody approved in time; `rejectionReason` has the reason.
 */
export type DecidedAction = AgentAction & {
  readonly status: Exclude<AgentAction['status'], 'PENDING_APPROVAL'>
}

/** Nobody decided within the time. */
export class NotDecidedError extends Error {
  override readonly name = 'NotDecidedError'
  readonly action: AgentAction

  constructor(action: AgentAction, timeoutMs: number) {
    super(`${action.id} still waits for approval after ${timeoutMs} ms.`)
    this.action = action
  }
}

/**
 * Reads an action until the policy or the platform has decided: its `status` has the decision. Rejects with
 * NotDecidedError on timeout; the action keeps waiting.
 */
export async function untilDecided(
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
