import type { Answer } from './calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

/** Something that an agent asked to be done with money, and what has become of it. */
export type AgentAction = Answer<'agent_me_action_get'>['body']

/**
 * An action that does not wait any more. `APPROVED`: it was done, and `transaction` tells how the payment goes on.
 * `REJECTED`: the platform said no. `FAILED`: it came to nothing, as something that it needs did not hold at the
 * approval, or nobody approved in time. `rejectionReason` says why.
 */
export type DecidedAction = AgentAction & {
  readonly status: Exclude<AgentAction['status'], 'PENDING_APPROVAL'>
}

/** The time is up and nobody has decided. */
export class NotDecidedError extends Error {
  override readonly name = 'NotDecidedError'
  readonly action: AgentAction

  constructor(action: AgentAction, timeoutMs: number) {
    super(`${action.id} still waits for approval after ${timeoutMs} ms.`)
    this.action = action
  }
}

/**
 * Reads an action until it is decided, by the policy or by the platform: its `status` says how. Rejects with
 * NotDecidedError when the time is up; the action goes on waiting.
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
