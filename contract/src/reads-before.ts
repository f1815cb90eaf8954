import type { EndpointName } from './api.ts'
import { isKeyOf } from './core/objects.ts'

/**
 * Maps each endpoint that updates or deletes a record to the endpoint that reads it, which has the same path
 * parameters. The audit trail compares the record before the change with the response to the change.
 */
export const READS_BEFORE = {
  config_update: 'config_get',
  token_delete: 'token_get',
  member_update: 'member_get',
  member_delete: 'member_get',
  customer_update: 'customer_get',
  customer_delete: 'customer_get',
  beneficial_owner_update: 'beneficial_owner_get',
  card_update: 'card_get',
  agent_update: 'agent_get',
  agent_policy_update: 'agent_get',
  agent_delete: 'agent_get',
} as const satisfies Partial<Record<EndpointName, EndpointName>>

/** Returns the endpoint that reads the record before `name` changes it, if any. */
export function readBefore(name: string): EndpointName | undefined {
  return isKeyOf(READS_BEFORE, name) ? READS_BEFORE[name] : undefined
}
