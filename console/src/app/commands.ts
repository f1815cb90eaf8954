import { PLACES } from './navigation.ts'

/** A page or an action that the search offers next to records. */
export interface Command {
  readonly title: string
  readonly kind: 'Page' | 'Action'
  /** Additional words by which the search finds it. */
  readonly also?: string
  /** A path, possibly with list filters. */
  readonly to: string
}

const toSettingsCommand = (title: string, part: string, also: string): Command => ({
  title,
  kind: 'Action',
  also,
  to: `/settings?part=${part}`,
})

/** The navigation pages, settings tasks, and frequently used list filters. */
export const COMMANDS: readonly Command[] = [
  ...PLACES.map(({ title, to }) => ({ title, to, kind: 'Page' as const })),
  toSettingsCommand('Invite a member', 'members', 'team people roles permissions'),
  toSettingsCommand('Create an API token', 'tokens', 'secret key'),
  toSettingsCommand('Change webhook endpoints', 'webhook', 'events url'),
  toSettingsCommand(
    'Change the number of required approvals',
    'platform',
    'approvals required limits currencies',
  ),
  toSettingsCommand('End other sessions', 'you', 'session password passkey'),
  toSettingsCommand('Change colors and logo', 'appearance', 'brand theme'),
  {
    title: 'Review pending verifications',
    kind: 'Action',
    also: 'cases kyc kyb documents',
    to: '/verifications?status=PENDING_MANUAL_REVIEW',
  },
  {
    title: 'Find failed payments',
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

/** Finds the commands that contain, for each search word, a word that starts with it. */
export function findCommands(searchText: string): readonly Command[] {
  const words = searchText.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return COMMANDS.filter(({ title, also = '' }) => {
    const commandWords = `${title} ${also}`.toLowerCase().split(/\s+/)
    return words.every((word) => commandWords.some((commandWord) => commandWord.startsWith(word)))
  })
}
