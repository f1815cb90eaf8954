import type { CardTransaction } from '@countersign/contract/cards/cards'
import type { Transaction } from '@countersign/contract/payments/transactions'
import type { Static } from 'typebox'
import { type AuditActor, actorText } from '../../ui/actor.tsx'
import { callWords } from '../../ui/call-words.ts'
import { moneyText } from '../../ui/money.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import { amountOf } from '../transactions/columns.tsx'

/** One line of a timeline. */
export interface Entry {
  readonly id: string
  readonly at: string
  readonly title: string
  /** The caller, or the merchant. */
  readonly detail?: string
  readonly state?: string
  readonly to?: string
}

/** The entries of one kind that were read, newest first. */
export interface Source {
  readonly entries: readonly Entry[]
  readonly hasMore: boolean
}

/**
 * The entries of all sources, newest first, without a gap: only those that are newer than the oldest of every source that
 * has more. The others follow once more is read.
 */
export function mergeSources(sources: readonly Source[]): {
  readonly entries: readonly Entry[]
  readonly hasMore: boolean
} {
  const ends = sources.flatMap(({ entries, hasMore }) => (hasMore ? (entries.at(-1)?.at ?? []) : []))
  const horizon = ends.reduce((latest, end) => (end > latest ? end : latest), '')
  const entries = sources
    .flatMap((source) => source.entries)
    .filter(({ at }) => at >= horizon)
    .toSorted((one, other) => other.at.localeCompare(one.at))
  return { entries, hasMore: sources.some(({ hasMore }) => hasMore) }
}

export function auditEntry(of: {
  readonly id: string
  readonly at: string
  readonly operation: string
  readonly actor: AuditActor
}): Entry {
  const { id, at, operation, actor } = of
  return {
    id,
    at,
    title: callWords(operation),
    detail: `by ${actorText(actor)}`,
    to: `/audit/${id}`,
  }
}

export function paymentEntry(payment: Static<typeof Transaction>): Entry {
  const { id, createdAt, status, direction } = payment
  const amount = moneyText(amountOf(payment))
  const kind = direction === 'DEBIT' ? 'Payment out' : 'Payment in'
  return {
    id,
    at: createdAt,
    title: amount === '' ? kind : `${kind} of ${amount}`,
    state: status,
    to: `/transactions/${id}`,
  }
}

export function purchaseEntry(purchase: Static<typeof CardTransaction>): Entry {
  const { id, authorizedAt, authorizedAmount, merchant, status, cardId } = purchase
  return {
    id,
    at: authorizedAt,
    title: `Card purchase of ${moneyText(authorizedAmount)}`,
    detail: `at ${merchant.descriptor}`,
    state: status,
    to: `/cards/${cardId}`,
  }
}

export function eventEntry(event: {
  readonly id: string
  readonly type: string
  readonly timestamp: string
}): Entry {
  const { id, type, timestamp } = event
  return { id, at: timestamp, title: wordsOf(type), to: `/events/${id}` }
}
