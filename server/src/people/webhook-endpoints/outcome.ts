import type { WebhookFault } from '@countersign/contract/sandbox/faults'
import type { App, Op } from '../../kernel/operation/app.ts'
import { decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { hasDeliveryFault, takeDeliveryFault } from '../platforms/fault-rules.ts'
import { type Attempt, jsonOf } from '../webhooks/delivery-attempt.ts'
import { isReceived } from '../webhooks/request-series.ts'
import type { AnswerRule } from '../webhooks/response-rules.ts'
import type { SendingEndpoint, SentEvent } from './sender-store.ts'
import type { FeedEvent, Pending } from './sending-order.ts'

/** Sandbox: the time for which later events overtake an event meant to be out of order. */
export const PASSED_SECONDS = 10

/** An attempt and its outcome. */
export interface Delivery {
  readonly pending: Pending<FeedEvent>
  readonly attempted: Attempt
  readonly isReceived: boolean
}

/**
 * The sandbox's fault for the first attempt at an event: requested by the call that caused it, or set by a
 * rule.
 */
export async function faultOf(
  app: App,
  op: Op,
  { role }: SendingEndpoint,
  { attempts, isApart }: Pending<FeedEvent>,
  { type, fault }: SentEvent,
): Promise<WebhookFault | undefined> {
  if (op.mode === 'production' || role !== 'CONFIGURED' || attempts > 0 || isApart) return undefined
  return fault ?? (await takeDeliveryFault(app, op, type))
}

/** Returns true if an event is delivered by itself: a sandbox fault may change how, or its response is a decision. */
export function isSentAlone(
  op: Op,
  rule: AnswerRule | undefined,
  { role }: SendingEndpoint,
  { type, fault }: SentEvent,
): boolean {
  return rule !== undefined || (role === 'CONFIGURED' && (fault !== null || hasDeliveryFault(op, type)))
}

/** Returns true if the event is not sent again. Commits what the response to a question decides. */
export async function isAccepted(
  app: App,
  op: Op,
  rule: AnswerRule | undefined,
  event: SentEvent,
  { answer }: Attempt,
): Promise<boolean> {
  if (!answer) return false
  const { status } = answer
  if (!rule) return isReceived(status)
  const response = { status, body: jsonOf(answer) }
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
