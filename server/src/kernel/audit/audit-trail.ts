import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { AuditEventRow } from '../../storage/rows/audit.ts'
import { newRequestId, type Op } from '../operation/app.ts'
import { nameActor } from './actors.ts'
import { maskValue } from './masking/mask.ts'

/** A completed call. */
export interface CompletedCall {
  readonly operation: string
  readonly params: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** The record before the call as the API showed it, if the call changes an existing one. */
  readonly before: unknown
  /** The schemas of `before` and `body`, for masking secrets. */
  readonly schemas?: { readonly before: TSchema | undefined; readonly body: TSchema | undefined }
  /** The wallet session that signed the call. */
  readonly walletSessionId: string | undefined
  readonly httpRequestId: string
}

const RECORD_ID = /^[A-Z][A-Za-z]+:[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * The audit entry of a call, to be written together with its change. Empty for actors that do not call the
 * API.
 */
export function auditWrites(op: Op, call: CompletedCall): Write[] {
  const actor = nameActor(op.actor)
  if (!actor) return []
  const { before, after } = diffMembers(call)
  const row: AuditEventRow = {
    id: op.newId('AuditEvent'),
    platform_id: op.platform.id,
    ...actor,
    wallet_session_id: call.walletSessionId ?? null,
    operation: call.operation,
    object_id: findObjectId(call),
    customer_id: findCustomerId(op, call),
    request: call.httpRequestId,
    address: op.from?.address ?? null,
    user_agent: op.from?.userAgent ?? null,
    before,
    after,
    created_at: op.now,
  }
  return [insert('audit_events', row)]
}

/**
 * The audit entry for a change outside of the API, by an operator command or on a customer's page. `params`
 * identifies the changed record if the outcome `body` does not.
 */
export function buildAuditEntryOutsideApi(
  op: Op,
  operation: string,
  { params = {}, body }: Partial<Pick<CompletedCall, 'params' | 'body'>>,
  httpRequestId = newRequestId(op.now),
): Write[] {
  return auditWrites(op, {
    operation,
    params,
    body,
    before: undefined,
    walletSessionId: undefined,
    httpRequestId,
  })
}

/** The last record named in the path, or the record in the response. */
function findObjectId({ params, body }: CompletedCall): string | null {
  const idInPath = Object.values(params).filter(isRecordId).at(-1)
  return idInPath ?? readId(body, 'id') ?? findFirstId(body)
}

/** The first record in a response with several, such as `{ member, invitationUrl }`. */
function findFirstId(body: unknown): string | null {
  if (!isRecord(body)) return null
  for (const member of Object.values(body)) {
    const id = readId(member, 'id')
    if (id !== undefined) return id
  }
  return null
}

function findCustomerId({ actor }: Op, { params, body }: CompletedCall): string | null {
  if ('customerId' in actor) return actor.customerId
  const id = readId(params, 'customerId') ?? readId(body, 'customerId') ?? readId(body, 'id')
  return id?.startsWith('Customer:') ? id : null
}

function readId(value: unknown, name: string): string | undefined {
  const id = isRecord(value) ? value[name] : undefined
  return isRecordId(id) ? id : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isRecordId(value: unknown): value is string {
  return typeof value === 'string' && RECORD_ID.test(value)
}

type Members = Readonly<Record<string, unknown>> | null

function maskRecord(schema: TSchema | undefined, record: object): Record<string, unknown> {
  const masked = maskValue(schema, record, 'trail')
  return isRecord(masked) ? { ...masked } : {}
}

/** Not recorded, because every change updates these properties. */
const ALWAYS_CHANGED: ReadonlySet<string> = new Set(['updatedAt', 'version'])

/** The properties that differ, before and after. For a removed record, all of them. */
function diffMembers({ before, body: after, schemas }: CompletedCall): { before: Members; after: Members } {
  if (!isRecord(before)) return { before: null, after: null }
  const old = maskRecord(schemas?.before, before)
  if (!isRecord(after)) return { before: old, after: null }
  const differs = (name: string) => !ALWAYS_CHANGED.has(name) && !isDeepStrictEqual(before[name], after[name])
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(differs)
  const now = maskRecord(schemas?.body, after)
  const pick = (from: Record<string, unknown>) =>
    Object.fromEntries(changed.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]))
  return { before: pick(old), after: pick(now) }
}
