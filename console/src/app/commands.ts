import { PLACES } from './navigation.ts'

/** A page or an action that the search offers in addition to records. */
export interface Command {
  readonly title: string
  readonly kind: 'Page' | 'Action'
  /** Other words that find it. */
  readonly also?: string
  /** With the filters of a list. */
  readonly to: string
}

const settings = (title: string, part: string, also: string): Command => ({
  title,
  kind: 'Action',
  also,
  to: `/settings?part=${part}`,
})

/** The navigation pages, the settings by task, and lists with their most used filter. */
export const COMMANDS: readonly Command[] = [
  ...PLACES.map(({ title, to }) => ({ title, to, kind: 'Page' as const })),
  settings('Invite a member', 'members', 'team people roles permissions'),
  settings('Create an API token', 'tokens', 'secret key'),
  settings('Change webhook endpoints', 'webhook', 'events url'),
  settings('Change the number of required approvals', 'platform', 'approvals required limits currencies'),
  settings('End other sign-ins', 'you', 'session password passkey'),
  settings('Change colours and logo', 'appearance', 'brand theme'),
  {
    title: 'Review verifications that wait',
    kind: 'Action',
    also: 'cases kyc kyb documents',
    to: '/verifications?status=PENDING_MANUAL_REVIEW',
  },
  {
    title: 'Look into failed payments',
    kind: 'Action',
    also: 'transactions errors',
    to: '/transactions?status=FAILED',
  },
  {
    title: 'Assign unattributed money',
    kind: 'Action',
    also: 'deposits suspense',
    to: '/approvals?kind=DEPOSIT',
  },
  {
    title: 'Find active mandates',
    kind: 'Action',
    also: 'sepa direct debits',
    to: '/mandates?status=ACTIVE',
  },
  {
    title: 'Find failed webhook deliveries',
    kind: 'Action',
    also: 'events',
    to: '/events?deliveryStatus=FAILED',
  },
]

/** The commands with a word that begins with each search word. */
export function commandsFor(asked: string): readonly Command[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return COMMANDS.filter(({ title, also = '' }) => {
    const own = `${title} ${also}`.toLowerCase().split(/\s+/)
    return words.every((word) => own.some((one) => one.startsWith(word)))
  })
}
