import type { CardTransaction } from '@countersign/contract/cards/cards'
import type { Transaction } from '@countersign/contract/payments/transactions'
import type { Static } from 'typebox'
import { type AuditActor, formatActor } from '../../ui/actor.tsx'
import { describeCall } from '../../ui/call-words.ts'
import { formatMoney } from '../../ui/money.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { getAmount } from '../transactions/columns.tsx'

/** A line in a timeline. */
export interface Entry {
  readonly id: string
  readonly at: string
  readonly title: string
  /** The caller, or the merchant. */
  readonly detail?: string
  readonly state?: string
  readonly to?: string
}

/** The loaded entries of one kind, newest first. */
export interface Source {
  readonly entries: readonly Entry[]
  readonly hasMore: boolean
}

/**
 * Merges all sources, newest first and without gaps: entries older than the oldest loaded entry of a source
 * that has more are withheld until more is loaded.
 */
export function mergeSources(sources: readonly Source[]): {
  readonly entries: readonly Entry[]
  readonly hasMore: boolean
} {
  const oldestLoaded = sources.flatMap(({ entries, hasMore }) => (hasMore ? (entries.at(-1)?.at ?? []) : []))
  const horizon = oldestLoaded.reduce((latest, end) => (end > latest ? end : latest), '')
  const entries = sources
    .flatMap((source) => source.entries)
    .filter(({ at }) => at >= horizon)
    .toSorted((a, b) => b.at.localeCompare(a.at))
  return { entries, hasMore: sources.some(({ hasMore }) => hasMore) }
}

export function toAuditEntry(event: {
  readonly id: string
  readonly at: string
  readonly operation: string
  readonly actor: AuditActor
}): Entry {
  const { id, at, operation, actor } = event
  return {
    id,
    at,
    title: describeCall(operation),
    detail: `by ${formatActor(actor)}`,
    to: `/audit/${id}`,
  }
}

export function toPaymentEntry(payment: Static<typeof Transaction>): Entry {
  const { id, createdAt, status, direction } = payment
  const amount = formatMoney(getAmount(payment))
  const kind = direction === 'DEBIT' ? 'Payment out' : 'Payment in'
  return {
    id,
    at: createdAt,
    title: amount === '' ? kind : `${kind} of ${amount}`,
    state: status,
    to: `/transactions/${id}`,
  }
}

export function toPurchaseEntry(purchase: Static<typeof CardTransaction>): Entry {
  const { id, authorizedAt, authorizedAmount, merchant, status, cardId } = purchase
  return {
    id,
    at: authorizedAt,
    title: `Card purchase of ${formatMoney(authorizedAmount)}`,
    detail: `at ${merchant.descriptor}`,
    state: status,
    to: `/cards/${cardId}`,
  }
}

export function toEventEntry(event: {
  readonly id: string
  readonly type: string
  readonly timestamp: string
}): Entry {
  const { id, type, timestamp } = event
  return { id, at: timestamp, title: formatConstant(type), to: `/events/${id}` }
}
