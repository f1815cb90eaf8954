import type { TableColumns } from './table-columns.ts'

const ABOUT_A_MEMBER = 'a team member of the platform, not a customer'

/** Columns of events, jobs, the server's own records, platforms and team members. */
export const COLUMNS_OF_WORK: Readonly<Record<string, TableColumns>> = {
  events: { plain: 'position type sequence record available posted traceparent', apart: { data: 'events' } },
  event_records: { plain: 'digest', apart: { text: 'eventRecords' } },
  webhook_attempts: { plain: 'attempt url status error duration_ms', apart: { answer: 'events' } },
  // The URL belongs to the platform's own server.
  webhook_endpoints: {
    plain:
      'role url description event_types payload state disabled_reason position claimed_by failures last_failure',
  },
  webhook_receipts: { plain: 'url first_position last_position statuses durations_ms started_at' },
  undelivered_events: { plain: 'type position attempts last_failure' },
  webhook_faults: { plain: 'fault' },
  webhook_secrets: { plain: 'key_generation' },
  // Payloads contain ids. Errors come from this program and from the database, which quotes no rows in them.
  jobs: { plain: 'kind payload attempts last_error' },
  idempotency_keys: {
    plain: 'digest scope request_hash status',
    apart: { body: 'keptAnswers' },
    kept: { key: "the caller's own id of its request, deleted after some days" },
  },
  logged_requests: {
    plain: 'request caller_request method path status code duration_ms actor_type operation',
    apart: {
      query: 'loggedRequests',
      actor_name: 'loggedRequests',
      idempotency_key: 'loggedRequests',
      address: 'loggedRequests',
      user_agent: 'loggedRequests',
      request_body: 'loggedRequests',
      response_body: 'loggedRequests',
    },
  },
  // Counters per minute.
  request_counts: { plain: 'caller window_number server count' },
  platforms: { plain: 'name config clock_offset_ms version' },
  api_tokens: { plain: 'client_id name permissions secret_hash' },
  stablecoin_accounts: {
    plain: 'provider provider_account_id provider_environment status sealed_credentials',
  },
  members: {
    plain: 'permissions state version notify_by notify_about notify_minutes',
    kept: { name: ABOUT_A_MEMBER, email: ABOUT_A_MEMBER },
  },
  member_roles: { plain: 'name permissions version' },
  member_links: { plain: 'purpose secret_hash maker' },
  member_codes: { plain: 'code_mac tries' },
  member_passkeys: { plain: 'name webauthn_id public_key sign_count' },
  member_sessions: {
    plain: 'method secret_hash',
    kept: { address: ABOUT_A_MEMBER, user_agent: ABOUT_A_MEMBER },
  },
  // A choice contains ids and amounts.
  approval_votes: { plain: 'place choice' },
  settings: { plain: 'name value' },
  archives: { plain: 'name of_table file row_count sha256' },
  archived_events: { plain: 'last_sequence' },
  data_keys: { plain: 'generation sealed' },
  enclave_secrets: { plain: 'name sealed' },
  migrations: { plain: 'name' },
  schema_additions: { plain: 'name' },
  schema_functions: { plain: 'name signature hash version' },
}
