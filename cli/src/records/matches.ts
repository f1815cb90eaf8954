import { MATCH_ACCOUNTS, type MatchAccount } from '@countersign/contract/operation/reconciliation-matches'
import { MATCH_STATES, type MatchState } from '@countersign/contract/states/match-states'
import type { Answer, ItemOf } from '@countersign/sdk'
import { type Command, Option } from 'commander'
import {
  openShell,
  printResult,
  type Shell,
  type ShellOptions,
  withShellOptions,
} from '../connection/shell.ts'
import { findCurrency, formatAmount } from '../terminal/amounts.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { type Column, printRecords } from '../terminal/records.ts'

type Match = ItemOf<'reconciliation_match_list'>
type Suggestion = Answer<'reconciliation_match_suggestion_list'>['body']['data'][number]
type Day = Answer<'reconciliation_get'>['body']

interface RailOptions {
  readonly rail: string
  readonly currency?: string
}

interface ReasonOptions {
  readonly reason: string
  readonly yes?: boolean
}

/**
 * Adds the commands for the unreconciled items of a rail: `suggest`, `match`, `matches`, `unmatch` and
 * `close`.
 */
export function addMatches(program: Command): void {
  const noun = ensureNounCommand(program, 'reconciliation', 'match lines of bank statements with payments')
  const addCommand = (usage: string, description: string) =>
    withShellOptions(noun.command(usage).description(description))
  const addRailCommand = (usage: string, description: string) =>
    addCommand(usage, description)
      .requiredOption('--rail <name>', 'the rail')
      .option('--currency <code>', 'its currency, if the rail has several')
  addRailCommand('suggest', 'suggest lines and payments that may belong together').action(
    async (options: ShellOptions & RailOptions) => suggest(await openShell(options), options),
  )
  addRailCommand('match <id...>', 'match lines with payments, and book their difference')
    .requiredOption('--reason <text>', 'the reason, stored with the match')
    .addOption(
      new Option('--as <account>', 'the account to which the difference is booked').choices([
        ...MATCH_ACCOUNTS,
      ]),
    )
    .option('--yes', 'skip the confirmation')
    .action(
      async (ids: string[], options: ShellOptions & RailOptions & ReasonOptions & { as?: MatchAccount }) =>
        match(await openShell(options), ids, options),
    )
  addCommand('matches', 'list matches, the newest first')
    .option('--rail <name>', 'only matches of this rail')
    .addOption(new Option('--status <status>', 'only matches in this state').choices([...MATCH_STATES]))
    .action(async (options: ShellOptions & { rail?: string; status?: MatchState }) =>
      listMatches(await openShell(options), options),
    )
  addCommand('unmatch <id>', 'undo a match that is not closed, and reverse its difference')
    .requiredOption('--reason <text>', 'the reason, stored with the match')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: ShellOptions & ReasonOptions) =>
      unmatch(await openShell(options), id, options),
    )
  addCommand('close <id>', 'make a match final')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: ShellOptions & { yes?: boolean }) => {
      const shell = await openShell(options)
      await confirmAction(`Close ${id}? This cannot be undone.`, options.yes)
      const closed = await shell.countersign.reconciliationMatches.close(id)
      printResult(shell, closed, [`${id} is ${closed.status}.`])
    })
}

/**
 * Finds the latest day with differences. Throws Failure if no day has differences, or if the rail has several
 * currencies and the option is missing.
 */
async function findLatestDay({ countersign }: Shell, { rail, currency }: RailOptions): Promise<Day> {
  const filters = { rail, status: 'DIFFERENT', limit: 100, ...(currency ? { currency } : {}) } as const
  const { data } = await countersign.reconciliations.list(filters)
  const codes = new Set(data.map((day) => day.currency.code))
  if (codes.size > 1)
    throw new Failure(`${rail} has several currencies. Choose --currency ${[...codes].join(' or ')}.`)
  const [latest] = data.toSorted((a, b) => (a.date < b.date ? 1 : -1))
  if (!latest) throw new Failure(`${rail} has no differences.`)
  return countersign.reconciliations.get(latest.id)
}

async function suggest(shell: Shell, options: RailOptions): Promise<void> {
  const day = await findLatestDay(shell, options)
  const { data } = await shell.countersign.reconciliations.matchSuggestions(day.id)
  const columns: readonly Column<Suggestion>[] = [
    ['KIND', ({ kind }) => kind],
    ['SIGNS', ({ signs }) => signs.join(', ')],
    ['DIFFERENCE', ({ difference }) => formatDayAmount(day, difference)],
    ['RECORDS', (suggestion) => [...suggestion.statementEntryIds, ...suggestion.paymentIds].join(' ')],
  ]
  const none = `No suggested matches for ${options.rail}.`
  printRecords({ data, hasMore: false }, columns, { isJson: shell.isJson, none })
}

async function match(
  shell: Shell,
  ids: readonly string[],
  options: RailOptions & ReasonOptions & { as?: MatchAccount },
): Promise<void> {
  const day = await findLatestDay(shell, options)
  const difference = sumDifferences(day, ids)
  if (difference !== 0n && options.as === undefined)
    throw new Failure(`They differ by ${formatDayAmount(day, difference)}: choose the account with --as.`)
  const account = difference === 0n ? undefined : options.as
  const question = `Match ${ids.length} ${ids.length === 1 ? 'record' : 'records'} of ${day.rail}?`
  const booking = account ? `, which is booked to ${account}` : ''
  await confirmAction(
    `${question} They differ by ${formatDayAmount(day, difference)}${booking}.`,
    options.yes,
  )
  const isLine = (id: string) => id.startsWith('StatementEntry:')
  const match = await shell.countersign.reconciliationMatches.create({
    rail: day.rail,
    currency: day.currency.code,
    statementEntryIds: ids.filter(isLine),
    paymentIds: ids.filter((id) => !isLine(id)),
    ...(account ? { difference: { amount: difference, account } } : {}),
    reason: options.reason,
  })
  printResult(shell, match, [
    match.status === 'PROPOSED'
      ? `${match.id} is proposed. It takes effect once enough members propose the same match.`
      : `${match.id} is ${match.status}: ${match.statementEntryIds.length} lines, ${match.paymentIds.length} payments.`,
  ])
}

/**
 * Sums the differences of the given records. Lines that name one of the payments are counted with that
 * payment.
 */
function sumDifferences({ rail, differences }: Day, ids: readonly string[]): bigint {
  const selected = differences.filter(({ about }) => about !== undefined && ids.includes(about))
  const missing = ids.filter(
    (id) => !id.startsWith('StatementEntry:') && !selected.some(({ about }) => about === id),
  )
  if (selected.length === 0 || missing.length > 0)
    throw new Failure(`${missing[0] ?? ids[0]} is not among the differences of ${rail}.`)
  return selected.reduce((sum, { amount }) => sum + amount, 0n)
}

async function listMatches(
  shell: Shell,
  { rail, status }: { rail?: string; status?: MatchState },
): Promise<void> {
  const filters = { ...(rail ? { rail } : {}), ...(status ? { status } : {}) }
  const data: Match[] = []
  for await (const match of shell.countersign.reconciliationMatches.list(filters)) data.push(match)
  const columns: readonly Column<Match>[] = [
    ['ID', ({ id }) => id],
    ['CREATED', ({ createdAt }) => createdAt],
    ['STATUS', (match) => match.status],
    ['RAIL', (match) => match.rail],
    ['LINES', ({ lineSum, currency }) => formatAmount(lineSum, currency)],
    ['BOOKS', ({ bookSum, currency }) => formatAmount(bookSum, currency)],
    ['BOOKED TO', ({ difference }) => difference?.account ?? ''],
    ['BY', ({ matchedBy }) => matchedBy.name ?? matchedBy.type],
    ['REASON', ({ reason }) => reason],
  ]
  printRecords({ data, hasMore: false }, columns, { isJson: shell.isJson, none: 'No matches found.' })
}

async function unmatch(shell: Shell, id: string, { reason, yes }: ReasonOptions): Promise<void> {
  await confirmAction(`Undo ${id}? Its lines and payments become differences again.`, yes)
  const result = await shell.countersign.reconciliationMatches.undo(id, { reason })
  printResult(shell, result, [
    result.status === 'UNDONE'
      ? `${id} is UNDONE.`
      : 'Your vote is recorded. The change takes effect once enough members agree.',
  ])
}

function formatDayAmount({ currency: { code } }: Day, amount: bigint): string {
  return formatAmount(amount, findCurrency(code))
}
