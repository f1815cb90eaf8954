import type { AuditActorType } from '@countersign/contract/core/actors'

export interface AuditTables {
  audit_events: AuditEventRow
  logged_requests: LoggedRequestRow
}

/** A call that changed something. */
export interface AuditEventRow {
  id: string
  platform_id: string
  actor_type: AuditActorType
  actor_id: string | null
  actor_name: string | null
  wallet_session_id: string | null
  operation: string
  object_id: string | null
  customer_id: string | null
  /** The `X-Request-Id` of the call. */
  request: string
  address: string | null
  user_agent: string | null
  before: Readonly<Record<string, unknown>> | null
  after: Readonly<Record<string, unknown>> | null
  created_at: Date
}

/** A request with its response. Times are real, not sandbox time. */
export interface LoggedRequestRow {
  id: string
  platform_id: string
  /** The `X-Request-Id` of the response. */
  request: string
  /** The `X-Request-Id` sent by the caller. */
  caller_request: string | null
  method: string
  path: string
  query: string | null
  status: number
  code: string | null
  duration_ms: number
  actor_type: AuditActorType | null
  actor_id: string | null
  actor_name: string | null
  operation: string
  idempotency_key: string | null
  address: string | null
  user_agent: string | null
  request_body: string | null
  response_body: string | null
  created_at: Date
  expires_at: Date
}
