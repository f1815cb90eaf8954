import type { EventType } from '@countersign/contract/events/events'
import type { QueryClient } from '@tanstack/react-query'
import { readChanged } from './changed.ts'
import { countersign } from './client.ts'
import { PacedReads } from './paced-reads.ts'

/**
 * The lists and records that an event makes stale, by the word before its dot: the first part of their keys.
 */
const STALE_AFTER: Readonly<Record<string, readonly string[]>> = {
  OUTGOING_PAYMENT: ['transactions', 'quotes', 'mandates', 'approvals', 'overview', 'statistics'],
  INCOMING_PAYMENT: ['transactions', 'mandates', 'approvals', 'overview', 'statistics'],
  // Lists give the names of customers.
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

/** Follows the platform's events until `signal`, and reloads pages whose data has changed. */
export async function followLive(client: QueryClient, signal: AbortSignal): Promise<void> {
  const reads = new PacedReads((noun) => readChanged(client, noun), signal)
  let isFirst = true
  // The types of events during a broken connection are unknown.
  const onConnection = (isOpen: boolean) => {
    if (isOpen && !isFirst) void readChanged(client)
    if (isOpen) isFirst = false
  }
  for await (const { type } of countersign.followEvents({ latestOnly: true, onConnection, signal })) {
    for (const noun of ['events', ...staleAfter(type)]) reads.hasChanged(noun)
  }
}

function staleAfter(type: EventType): readonly string[] {
  const [noun = ''] = type.split('.', 1)
  return STALE_AFTER[noun] ?? []
}
