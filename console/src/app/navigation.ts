import type { Waiting } from '@countersign/contract/operation/overview'
import type { Static } from 'typebox'

/** A page in the navigation, and the key that opens it after `g`. */
export interface Place {
  readonly title: string
  readonly to: string
  readonly key: string
  readonly group: 'Work' | 'Records' | 'Build' | 'Platform'
  /** The icon as an SVG path in a 16 by 16 square. */
  readonly icon: string
  /** The kinds of pending records that the page lists, as named in the overview. */
  readonly waiting?: readonly (keyof Static<typeof Waiting>)[]
}

export const PLACES: readonly Place[] = [
  {
    title: 'Overview',
    to: '/',
    key: 'h',
    group: 'Work',
    icon: 'M2.5 2.5H7V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z',
  },
  {
    title: 'Approvals',
    to: '/approvals',
    key: 'a',
    group: 'Work',
    waiting: ['approvals', 'screenings', 'deposits', 'railEvents'],
    icon: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.5 8l2 2 3-3.5',
  },
  {
    title: 'Verifications',
    to: '/verifications',
    key: 'v',
    group: 'Work',
    waiting: ['verifications'],
    icon: 'M1.5 3.5h13v9h-13zM4 10.5c.4-1.5 3.1-1.5 3.5 0M5.75 8a1.25 1.25 0 1 0 0-2.5 1.25 1.25 0 0 0 0 2.5ZM10 6.5h2.5M10 9.5h2.5',
  },
  {
    title: 'Customers',
    to: '/customers',
    key: 'c',
    group: 'Records',
    icon: 'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-5 9-5 9 0M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12 9.7c1.6.5 2.5 1.8 2.5 3.8',
  },
  {
    title: 'Transactions',
    to: '/transactions',
    key: 't',
    group: 'Records',
    icon: 'M3 5h10M10.5 2.5 13 5l-2.5 2.5M13 11H3M5.5 8.5 3 11l2.5 2.5',
  },
  {
    title: 'Deposits',
    to: '/deposits',
    key: 'i',
    group: 'Records',
    icon: 'M8 2v7.5M5 6.5l3 3 3-3M2.5 10v3.5h11V10',
  },
  {
    title: 'Quotes and rates',
    to: '/quotes',
    key: 'q',
    group: 'Records',
    icon: 'M12.5 3.5l-9 9M4.75 6.25a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.25 12.75a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  },
  {
    title: 'Payouts',
    to: '/payouts',
    key: 'p',
    group: 'Records',
    icon: 'M8 9.5V2M5 5l3-3 3 3M2.5 10v3.5h11V10',
  },
  {
    title: 'Schedules',
    to: '/schedules',
    key: 'e',
    group: 'Records',
    icon: 'M2.5 3.5h11v10h-11zM2.5 7h11M5.5 2v3M10.5 2v3',
  },
  {
    title: 'Own money',
    to: '/own-money',
    key: 'o',
    group: 'Records',
    icon: 'M2 6.5l6-4 6 4zM4 6.5v5M8 6.5v5M12 6.5v5M2 13.5h12',
  },
  {
    title: 'Holds',
    to: '/holds',
    key: 'f',
    group: 'Records',
    icon: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2M8 9.5V11',
  },
  {
    title: 'Mandates',
    to: '/mandates',
    key: 'y',
    group: 'Records',
    icon: 'M3.5 2h6l3 3v9h-9zM9.5 2v3h3M5.5 11c1-2.5 2 1 3-1l2 .5M6 6.5h2',
  },
  { title: 'Cards', to: '/cards', key: 'd', group: 'Records', icon: 'M1.5 3.5h13v9h-13zM1.5 6.5h13M4 10h3' },
  {
    title: 'Agents',
    to: '/agents',
    key: 'n',
    group: 'Records',
    icon: 'M3 5.5h10v8H3zM8 5.5V2.5M6 8.5v1.5M10 8.5v1.5',
  },
  {
    title: 'Reconciliation',
    to: '/reconciliations',
    key: 'r',
    group: 'Records',
    waiting: ['reconciliations'],
    icon: 'M2.5 6h11M2.5 10h11M10.5 2.5l-5 11',
  },
  {
    title: 'Ledger',
    to: '/ledger',
    key: 'b',
    group: 'Records',
    icon: 'M3 2.5h10v11H3zM6 2.5v11M8.5 6h2M8.5 8.5h2',
  },
  {
    title: 'Client money',
    to: '/client-money',
    key: 'm',
    group: 'Records',
    icon: 'M8 1.8l5 1.7v4c0 3.3-2.2 5.6-5 6.7-2.8-1.1-5-3.4-5-6.7v-4z',
  },
  { title: 'Webhooks', to: '/events', key: 'w', group: 'Build', icon: 'M9 1.5L3 9h4.5L7 14.5 13 7H8.5z' },
  {
    title: 'Requests',
    to: '/requests',
    key: 'l',
    group: 'Build',
    icon: 'M5 4.5L1.5 8 5 11.5M11 4.5L14.5 8 11 11.5M9.2 3L6.8 13',
  },
  {
    title: 'Audit trail',
    to: '/audit',
    key: 'u',
    group: 'Platform',
    icon: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.5V8l2.5 1.5',
  },
  {
    title: 'Settings',
    to: '/settings',
    key: 's',
    group: 'Platform',
    icon: 'M2 5h7M12 5h2M2 11h2M7 11h7M10.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM5.5 12.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  },
]
