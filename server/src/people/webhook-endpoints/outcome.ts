import type { WebhookFault } from '@countersign/contract/sandbox/faults'
import type { App, Op } from '../../kernel/operation/app.ts'
import { decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { hasDeliveryFault, takeDeliveryFault } from '../platforms/fault-rules.ts'
import { type Attempt, parseResponseJson } from '../webhooks/delivery-attempt.ts'
import { isReceived } from '../webhooks/request-series.ts'
import type { ResponseRule } from '../webhooks/response-rules.ts'
import type { SendingEndpoint, SentEvent } from './sender-store.ts'
import type { FeedEvent, Pending } from './sending-order.ts'

/**
 * The delay of an event that the sandbox delivers out of order, so that later events overtake it.
 */
export const REORDER_SECONDS = 10

/** An attempt at an event, and whether it succeeded. */
export interface Delivery {
  readonly pending: Pending<FeedEvent>
  readonly attempted: Attempt
  readonly isReceived: boolean
}

/**
 * Takes the sandbox fault for the first attempt to deliver an event. It comes from the call that caused the
 * event, or from a rule.
 */
export async function takeSandboxFault(
  app: App,
  op: Op,
  { role }: SendingEndpoint,
  { attempts, isOutsideFeed }: Pending<FeedEvent>,
  { type, fault }: SentEvent,
): Promise<WebhookFault | undefined> {
  if (op.mode === 'production' || role !== 'CONFIGURED' || attempts > 0 || isOutsideFeed) return undefined
  return fault ?? (await takeDeliveryFault(app, op, type))
}

/**
 * Returns true if an event must not share its series with others, because a sandbox fault may change its
 * delivery or its response decides something.
 */
export function isSentAlone(
  op: Op,
  rule: ResponseRule | undefined,
  { role }: SendingEndpoint,
  { type, fault }: SentEvent,
): boolean {
  return rule !== undefined || (role === 'CONFIGURED' && (fault !== null || hasDeliveryFault(op, type)))
}

/**
 * Commits the decision in the response to a question. Returns true if the event need not be sent again.
 */
export async function applyResponse(
  app: App,
  op: Op,
  rule: ResponseRule | undefined,
  event: SentEvent,
  { response }: Attempt,
): Promise<boolean> {
  if (!response) return false
  const { status } = response
  if (!rule) return isReceived(status)
  const webhookResponse = { status, body: parseResponseJson(response) }
  return decideAndCommit(
    app,
    op,
    async () => undefined,
    async () => {
      const ruling = await rule(op, event, webhookResponse)
      return { answer: ruling?.ended ?? isReceived(status), writes: ruling?.writes ?? [] }
    },
  )
}
