import type { EventType } from '@countersign/contract/events/events'
import { toJson } from '../../base/json/json.ts'
import { type EventWrite, insert, type Write } from '../../storage/commit/writes.ts'
import type { PlatformRow } from '../../storage/rows/tables.ts'
import type { Op } from '../operation/app.ts'

/** The platform and time of an event, and a source of ids. */
export type EventContext = Pick<Op, 'now' | 'platform' | 'newId'> & Partial<Pick<Op, 'tracing'>>

/**
 * Creates the event of a state change, to be written in the same transaction. `data` is the record as the API
 * shows it.
 */
export function event(op: EventContext, type: EventType, objectId: string, data: unknown): EventWrite {
  return buildEventWrite(op, type, objectId, toJson(data))
}

/** Creates an event of a ledger account. `data` is JSON with balances of 0, which the database fills in. */
export function accountEvent(op: EventContext, type: EventType, accountId: string, data: string): EventWrite {
  return { ...buildEventWrite(op, type, accountId, data), ofAccount: true }
}

/** Creates a TEST event. It refers to no record, and is sent only to the endpoint being tested. */
export function testEvent(op: EventContext): EventWrite {
  const id = op.newId('Event')
  return { ...buildEventWrite(op, 'TEST', id, '{}'), id }
}

/** The platform's webhook endpoint, if it has one. */
export function webhookEndpoint({ config }: Pick<PlatformRow, 'config'>): string | undefined {
  const { webhookEndpoint } = config
  return typeof webhookEndpoint === 'string' ? webhookEndpoint : undefined
}

/** Sandbox: the delivery faults that a call requested for the events it causes. */
export function buildWebhookFaults(
  { webhookFault, platform }: Op,
  writes: readonly Write[],
): readonly Write[] {
  if (webhookFault === undefined || webhookEndpoint(platform) === undefined) return []
  return writes.flatMap((write) =>
    write.write === 'event'
      ? [insert('webhook_faults', { id: write.id, platform_id: write.platformId, fault: webhookFault })]
      : [],
  )
}

function buildEventWrite(op: EventContext, type: EventType, objectId: string, data: string): EventWrite {
  const id = op.newId('Event')
  const traceparent = op.tracing?.context()?.traceparent
  const row = { id, platformId: op.platform.id, type, objectId, data, at: op.now } as const
  return { write: 'event', ...row, ...(traceparent ? { traceparent } : {}) }
}
