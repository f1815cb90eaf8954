/** A place of the navigation, and the key that goes there after `g`. */
export interface Place {
  readonly title: string
  readonly to: string
  readonly key: string
  readonly group: 'Work' | 'Records' | 'Build' | 'Platform'
}

export const PLACES: readonly Place[] = [
  { title: 'Overview', to: '/', key: 'h', group: 'Work' },
  { title: 'Approvals', to: '/approvals', key: 'a', group: 'Work' },
  { title: 'Verifications', to: '/verifications', key: 'v', group: 'Work' },
  { title: 'Customers', to: '/customers', key: 'c', group: 'Records' },
  { title: 'Transactions', to: '/transactions', key: 't', group: 'Records' },
  { title: 'Deposits', to: '/deposits', key: 'i', group: 'Records' },
  { title: 'Quotes and rates', to: '/quotes', key: 'q', group: 'Records' },
  { title: 'Payouts', to: '/payouts', key: 'p', group: 'Records' },
  { title: 'Schedules', to: '/schedules', key: 'e', group: 'Records' },
  { title: 'Own money', to: '/own-money', key: 'o', group: 'Records' },
  { title: 'Cards', to: '/cards', key: 'd', group: 'Records' },
  { title: 'Agents', to: '/agents', key: 'n', group: 'Records' },
  { title: 'Reconciliation', to: '/reconciliations', key: 'r', group: 'Records' },
  { title: 'Ledger', to: '/ledger', key: 'b', group: 'Records' },
  { title: 'Client money', to: '/client-money', key: 'm', group: 'Records' },
  { title: 'Webhooks', to: '/events', key: 'w', group: 'Build' },
  { title: 'Requests', to: '/requests', key: 'l', group: 'Build' },
  { title: 'Audit trail', to: '/audit', key: 'u', group: 'Platform' },
  { title: 'Settings', to: '/settings', key: 's', group: 'Platform' },
]
