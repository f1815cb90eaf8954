import { setTimeout } from 'node:timers/promises'
import { extractUuid } from '@countersign/server/storage/engine/ids'
import type { Database } from '@countersign/server/storage/engine/port'
import type { Target } from './load.ts'
import type { Receiver } from './receiver.ts'

export interface WebhookBench {
  readonly db: Database
  readonly receiver: Receiver
}

const POLL_MS = 50
const UNDELIVERED = `
SELECT 1 FROM webhook_endpoints e WHERE deleted_at IS NULL AND e.id IS DISTINCT FROM $1::uuid AND EXISTS (
  SELECT FROM events v WHERE v.platform_id = e.platform_id AND (v.committed_in, v.position) > (e.committed_in, e.position))`

/** Resolves once all endpoints have received everything. An endpoint in `except` is ignored. */
export async function waitUntilDelivered(db: Database, except?: string): Promise<void> {
  const parameters = [except === undefined ? null : extractUuid(except)]
  while ((await db.query(UNDELIVERED, parameters)).rows.length > 0) await setTimeout(POLL_MS)
}

export async function sendCall(
  { baseUrl, authorization }: Target,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly id?: string }> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? {} : JSON.parse(text)
}
