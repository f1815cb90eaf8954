import type { Approval as ApprovalSchema } from '@countersign/contract/agents/approvals'
import { present } from '@countersign/contract/core/objects'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { type Amount, formatMoney } from '../../ui/money.tsx'
import { type PagedList, usePagedList } from '../../ui/use-listed.ts'

export type Approval = Static<typeof ApprovalSchema>
export type DepositChoice = NonNullable<Approval['votes'][number]['choice']>
type Kind = Approval['kind']

/** Label of each kind in the queue. */
export const KIND_LABELS: Readonly<Record<Kind, string>> = {
  AGENT_ACTION: 'Agent payment',
  INCOMING_PAYMENT: 'Incoming payment',
  SCREENING: 'Screening hit',
  DEPOSIT: 'Unattributed money',
  RAIL_EVENT: 'Rail report',
  PAYOUT_BATCH: 'Payout batch',
  PAYMENT_SCHEDULE: 'Payment schedule',
  OWN_ACCOUNT: 'Account of the operator',
  PLATFORM_WITHDRAWAL: 'Withdrawal',
  ACCOUNT_CHANGE: 'Account details',
  TREASURY_MOVEMENT: 'Treasury movement',
  TREASURY_KEY: 'Treasury key',
  FUNDS_HOLD: 'Hold of pulled money',
}

/** Describes the payee, or the sender of incoming money: `to Ada Lovelace, USD account •••• 6789`. */
export function describeParty({ payee, requestedBy, kind }: Approval): string {
  const to = [payee?.name, payee?.account].filter(Boolean).join(', ')
  if (to !== '') return `to ${to}`
  const isIncoming = kind === 'INCOMING_PAYMENT' || kind === 'DEPOSIT' || kind === 'SCREENING'
  return isIncoming && requestedBy?.name ? `from ${requestedBy.name}` : ''
}

/** Summarizes an approval in one line, for labels and confirmations: `45.00 USD to Ada Lovelace`. */
export function describeApproval(approval: Approval): string {
  const text = [formatMoney(approval.amount), describeParty(approval)].filter(Boolean).join(' ')
  return text === '' ? KIND_LABELS[approval.kind].toLowerCase() : text
}

export interface QueueFilters {
  readonly kind?: Kind
  readonly customerId?: string
}

/** Loads everything waiting for a decision, oldest first. */
export function useQueue(filters: QueueFilters): PagedList<Approval> {
  const definedFilters = present({ ...filters })
  return usePagedList(['approvals', 'list', definedFilters], (page) =>
    countersign.approvals.list({ ...definedFilters, ...page, sortOrder: 'asc' }),
  )
}

/** Formats the totals by currency: `45.00 USD and 10.00 EUR`. */
export function formatTotals(approvals: readonly Approval[]): string {
  const totals = new Map<string, Amount>()
  for (const { amount } of approvals) {
    if (!amount) continue
    const before = totals.get(amount.currency.code)
    totals.set(amount.currency.code, before ? { ...before, amount: before.amount + amount.amount } : amount)
  }
  return [...totals.values()].map(formatMoney).join(' and ')
}
