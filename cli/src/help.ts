import { OPERATOR_NOUNS } from '@countersign/contract/operation/operator-commands'
import type { Command } from 'commander'
import { FORMS } from './admin/run.ts'

interface Group {
  readonly heading: string
  readonly commands: readonly string[]
}

/** The groups of `countersign --help`, in the order in which readers need them. */
const GROUPS: readonly Group[] = [
  {
    heading: 'Use a platform:',
    commands: [
      ...[
        'login',
        'profiles',
        'logout',
        'customers',
        'payouts',
        'schedules',
        'own-money',
        'accounts',
        'external-accounts',
        'mandates',
        'transactions',
        'deposits',
        'holds',
        'account-changes',
        'account-verifications',
        'reconciliation',
        'quotes',
        'events',
        'search',
      ],
      ...['card', 'agent', 'member', 'role', 'statement', 'ledger', 'client-money', 'console', 'api'],
    ],
  },
  {
    heading: 'Build an integration:',
    commands: ['demo', 'sandbox', 'trigger', 'listen', 'logs', 'mcp', 'doctor', 'completion'],
  },
  {
    heading: 'Operate a server:',
    commands: ['serve', ...Object.values(FORMS).map(({ cli = '' }) => cli.replace(/ .*/, ''))],
  },
]

/** Aliases: the plural of each singular command, and the reverse. */
const ALIASES: Readonly<Record<string, string | undefined>> = {
  customers: 'customer',
  payouts: 'payout',
  schedules: 'schedule',
  accounts: 'account',
  'external-accounts': 'external-account',
  mandates: 'mandate',
  transactions: 'transaction',
  deposits: 'deposit',
  holds: 'hold',
  'account-changes': 'account-change',
  'account-verifications': 'account-verification',
  quotes: 'quote',
  events: 'event',
  profiles: 'profile',
  logs: 'log',
  card: 'cards',
  agent: 'agents',
  member: 'members',
  role: 'roles',
  statement: 'statements',
  ...Object.fromEntries(Object.entries(OPERATOR_NOUNS).map(([name, { alias }]) => [name, alias])),
}

const EXAMPLES = `
Examples:
  countersign login --base-url https://pay.example.com    store credentials
  countersign customers list --status APPROVED            the newest first
  countersign api GET /customers?limit=1                  any call of the API
  countersign listen --forward-to http://localhost:3000/hooks
  countersign trigger OUTGOING_PAYMENT.COMPLETED          in a sandbox
  countersign serve                                       in a clone

A noun may be singular or plural. countersign COMMAND --help shows the options of a command.`

/** Puts each command into its group, and adds aliases and examples. Throws if a command has no group. */
export function arrangeHelp(program: Command): void {
  const byName = new Map(program.commands.map((command) => [command.name(), command]))
  const grouped = GROUPS.flatMap(({ heading, commands }) =>
    commands.flatMap((name) => byName.get(name)?.helpGroup(heading) ?? []),
  )
  const ungrouped = program.commands.filter(
    (command) => !grouped.includes(command) && command.name() !== 'complete',
  )
  if (ungrouped.length > 0)
    throw new Error(`${ungrouped.map((command) => command.name())} has no group in help.ts`)
  for (const [name, alias] of Object.entries(ALIASES)) if (alias) byName.get(name)?.alias(alias)
  program
    .commandsGroup('Build an integration:')
    .helpCommand('help [command]', 'show the options of a command')
  program.addHelpText('after', EXAMPLES)
}

/** The text for a command in a list of commands: its name and arguments, without options or aliases. */
export function formatTerm(command: Command): string {
  const args = command.registeredArguments.map((argument) =>
    argument.required ? ` <${argument.name()}>` : ` [${argument.name()}]`,
  )
  return command.name() + args.join('')
}
