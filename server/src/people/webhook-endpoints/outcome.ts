import type { WebhookFault } from '@countersign/contract/sandbox/faults'
import type { App, Op } from '../../kernel/operation/app.ts'
import { decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { hasDeliveryFault, takeDeliveryFault } from '../platforms/fault-rules.ts'
import { type Attempt, parseResponseJson } from '../webhooks/delivery-attempt.ts'
import { isReceived } from '../webhooks/request-series.ts'
import type { AnswerRule } from '../webhooks/response-rules.ts'
import type { SendingEndpoint, SentEvent } from './sender-store.ts'
import type { FeedEvent, Pending } from './sending-order.ts'

/**
 * Sandbox: an event meant to arrive out of order is delayed by this time, so that later events overtake it.
 */
export const REORDER_SECONDS = 10

/** An attempt at an event, and whether it succeeded. */
export interface Delivery {
  readonly pending: Pending<FeedEvent>
  readonly attempted: Attempt
  readonly isReceived: boolean
}

/**
 * Takes the sandbox fault for the first attempt at an event. Either the call that caused the event requested
 * it, or a rule sets it.
 */
export async function takeSandboxFault(
  app: App,
  op: Op,
  { role }: SendingEndpoint,
  { attempts, isApart }: Pending<FeedEvent>,
  { type, fault }: SentEvent,
): Promise<WebhookFault | undefined> {
  if (op.mode === 'production' || role !== 'CONFIGURED' || attempts > 0 || isApart) return undefined
  return fault ?? (await takeDeliveryFault(app, op, type))
}

/**
 * Returns true if an event must not share its series with others, because a sandbox fault may change its
 * delivery or its response decides something.
 */
export function isSentAlone(
  op: Op,
  rule: AnswerRule | undefined,
  { role }: SendingEndpoint,
  { type, fault }: SentEvent,
): boolean {
  return rule !== undefined || (role === 'CONFIGURED' && (fault !== null || hasDeliveryFault(op, type)))
}

/**
 * Commits what the response to a question decides. Returns true if the event does not have to be sent again.
 */
export async function applyResponse(
  app: App,
  op: Op,
  rule: AnswerRule | undefined,
  event: SentEvent,
  { answer }: Attempt,
): Promise<boolean> {
  if (!answer) return false
  const { status } = answer
  if (!rule) return isReceived(status)
  const response = { status, body: parseResponseJson(answer) }
  return decideAndCommit(
    app,
    op,
    async () => undefined,
    async () => {
      const ruled = await rule(op, event, response)
      return { answer: ruled?.ended ?? isReceived(status), writes: ruled?.writes ?? [] }
    },
  )
}
