import type { EventType } from '@countersign/contract/events/events'
import type { QueryClient } from '@tanstack/react-query'
import { reloadChanged } from './changed.ts'
import { countersign } from './client.ts'
import { PacedReads } from './paced-reads.ts'

/** Maps the first word of an event type to the query keys (by their first element) that it makes stale. */
const STALE_AFTER: Readonly<Record<string, readonly string[]>> = {
  OUTGOING_PAYMENT: ['transactions', 'quotes', 'mandates', 'approvals', 'overview', 'statistics'],
  INCOMING_PAYMENT: ['transactions', 'mandates', 'approvals', 'overview', 'statistics'],
  // Lists contain the names of customers.
  CUSTOMER: ['customers', 'transactions', 'cards', 'agents', 'verifications', 'accounts', 'overview'],
  VERIFICATION: ['verifications', 'customers', 'overview'],
  AGENT_ACTION: ['agents', 'approvals', 'overview'],
  CARD: ['cards'],
  SCREENING: ['screenings', 'approvals', 'transactions', 'overview'],
  DEPOSIT: ['deposits', 'approvals', 'transactions', 'overview'],
  PAYOUT_BATCH: ['payouts', 'accounts', 'overview'],
  PAYMENT_SCHEDULE: ['schedules', 'accounts', 'overview'],
  FUNDS_HOLD: ['holds', 'accounts', 'approvals', 'overview'],
  PLATFORM_WITHDRAWAL: ['own-money', 'approvals', 'overview'],
  RECONCILIATION: ['reconciliations', 'overview'],
  INTERNAL_ACCOUNT: ['accounts', 'overview'],
  EXTERNAL_ACCOUNT: ['accounts', 'approvals', 'overview'],
}

/** Follows the platform's events until `signal` is aborted, and reloads changed data. */
export async function followLiveEvents(client: QueryClient, signal: AbortSignal): Promise<void> {
  const reads = new PacedReads((noun) => reloadChanged(client, noun), signal)
  let isFirst = true
  // Events may have been missed while the connection was broken, so everything is reloaded.
  const onConnection = (isOpen: boolean) => {
    if (isOpen && !isFirst) void reloadChanged(client)
    if (isOpen) isFirst = false
  }
  for await (const { type } of countersign.followEvents({ latestOnly: true, onConnection, signal })) {
    for (const noun of ['events', ...getStaleKeys(type)]) reads.hasChanged(noun)
  }
}

function getStaleKeys(type: EventType): readonly string[] {
  const [noun = ''] = type.split('.', 1)
  return STALE_AFTER[noun] ?? []
}
