import { hash } from 'node:crypto'
import type { ConnectorStatement, StatementEntry } from '@countersign/contract/connectors/events'
import { present } from '@countersign/contract/core/objects'
import { plainJson } from '../../base/json/plain-json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { isAccount } from '../../money/evidence/judge.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { finishBooking } from '../../operation/reconciliations/finish-booking.ts'
import {
  findStatementPart,
  isEntryKnown,
  recordStatement,
} from '../../operation/reconciliations/statements.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { applyLine } from './apply-line.ts'
import { toReceivedAt } from './deposit-of-line.ts'
import { bankEvent, holdLine, holdRecord, type UnderstoodLine } from './hold-line.ts'
import { type BankFilesRail, type BankFileWorker, CARRIED } from './rail.ts'
import type { Reading } from './reading.ts'
import {
  type Balances,
  type BankStatement,
  balancesOf,
  findSharedReferences,
  type Line,
  linesOf,
  nextName,
} from './statement-lines.ts'
import { entryIdOf, textOfLine, understandLine } from './understand-line.ts'

const DIGEST_CHARACTERS = 32
const LINES_AT_ONCE = 50
/** The maximum length of an entry's text in the connector protocol. */
const TEXT_MAX = 1000

/**
 * Applies a statement or an advice exactly once, even after crashes. A statement with balances is a day of
 * the account: it is either recorded as a whole and then booked, or has no effect at all. The lines of other
 * statements take effect one by one.
 */
export async function applyStatement(worker: BankFileWorker, statement: BankStatement): Promise<void> {
  const { head } = statement
  // Interim reports of an unfinished day are not final.
  if (head.kind === 'REPORT') return
  const balances = balancesOf(statement)
  const currency = head.currency ?? balances?.currency ?? statement.entries[0]?.entry.currency ?? null
  if (!isOurs(worker.rail, head.account, currency)) return noteOtherAccount(worker, head.account, currency)
  if (statement.contradiction !== null) return setAsideContradiction(worker, statement)
  const lines = linesOf(statement)
  const isWholeDay = head.kind === 'STATEMENT' && balances !== undefined
  const newReading = async () => ({
    ...{ op: await opOf(worker), rail: worker.rail, head, isWholeDay },
    ...{ taken: new Set<string>(), shared: findSharedReferences(statement) },
    names: new Set(lines.map(({ name }) => name)),
  })
  // An earlier statement about the same money has to be booked before this one.
  await finishBooking(worker.app, await opOf(worker), worker.rail.name)
  if (isWholeDay) return applyDay(worker, newReading, { balances, lines, unread: statement.unread })
  await holdUnread(worker, statement)
  const reading = await newReading()
  for (const line of lines) await applyLine(worker, reading, await understandOrHold(reading, line))
}

async function understandOrHold(reading: Reading, line: Line): Promise<UnderstoodLine> {
  const found = await understandLine(reading, line)
  return 'hold' in found ? { line, entries: [], hold: found.hold } : { line, entries: found.entries }
}

function isOurs(rail: BankFilesRail, account: string | null, currency: string | null): boolean {
  return (
    account !== null &&
    isAccount(rail.accountNumbers, account) &&
    currency === CARRIED[rail.entry.format.type]
  )
}

/**
 * Reports once that the bank delivers files about a different account to this rail. Those files have no
 * effect.
 */
export function noteOtherAccount(
  worker: BankFileWorker,
  account: string | null,
  currency: string | null,
): Promise<void> {
  const data = present({ account, currency })
  const event = bankEvent(`other-account ${account} ${currency}`, 'file.other-account', data)
  return holdRecord(worker, event, 'OTHER_ACCOUNT')
}

/** Records a whole day. Lines that cannot be matched wait for a person. */
async function applyDay(
  worker: BankFileWorker,
  newReading: () => Promise<Reading>,
  { balances, lines, unread }: Day,
): Promise<void> {
  const { name: rail } = worker.rail
  const reading = await newReading()
  const id = idOfStatement(reading, balances, lines)
  if (await findRailEvent(reading.op, rail, id)) return
  const rest = balances.closing - balances.opening - sumOf(lines)
  // All pages of the statement have been read, but the balances still do not match.
  if (rest !== 0n && unread.length === 0) return setAside(worker, id, { ...reading.head, ...balances })
  const first = await understandAll(reading, lines)
  const part = await findStatementPart(reading.op, rail, statementOf(reading, balances, first, rest))
  if (part === 'repeat') return
  // The balances prove that this is additional money, even if the bank uses the same text as before.
  const isMore = part === 'continues' || part === 'precedes'
  const found = isMore
    ? await understandAll(await newReading(), await renameDuplicates(reading.op, rail, lines))
    : first
  const statement = statementOf(reading, balances, found, rest)
  await decide(worker, async (op) => {
    if (await findRailEvent(op, rail, id)) return []
    const { writes, reason, isNew } = await recordStatement(op, rail, statement)
    const event = { id, type: 'statement', data: { ...statement, entries: statement.entries.length } }
    const holds = isNew ? [...(await holdsOf(op, rail, found)), ...unreadHolds(op, rail, id, unread)] : []
    return [...writes, ...recordReport(op, rail, event, reason), ...holds]
  })
}

/** A day as reported by a statement with balances. */
interface Day {
  readonly balances: Balances
  readonly lines: readonly Line[]
  readonly unread: BankStatement['unread']
}

function sumOf(lines: readonly Line[]): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, 0n)
}

/** Sets aside a statement that contradicts itself. It has no effect; the other statements in its file do. */
function setAsideContradiction(worker: BankFileWorker, statement: BankStatement): Promise<void> {
  const { head, balances, entries, contradiction: reason } = statement
  const content = plainJson([head.createdAt, balances, entries])
  const digest = hash('sha256', JSON.stringify(content)).slice(0, DIGEST_CHARACTERS)
  const id = `${head.kind} ${head.id} ${digest} contradiction`
  return setAside(worker, id, { ...head, balances, reason })
}

function setAside(worker: BankFileWorker, id: string, said: object): Promise<void> {
  return holdRecord(worker, bankEvent(id, 'statement', said), 'UNREADABLE')
}

/** Reports the unreadable parts of an advice, or of a statement without balances, for a person to review. */
function holdUnread(worker: BankFileWorker, { head, unread }: BankStatement): Promise<void> {
  const id = `${head.kind} ${head.id} ${head.createdAt}`
  const { name } = worker.rail
  return decide(worker, async (op) =>
    unread.length === 0 || (await findRailEvent(op, name, unreadId(id, 0)))
      ? []
      : unreadHolds(op, name, id, unread),
  )
}

function unreadHolds(op: Op, rail: string, id: string, unread: BankStatement['unread']): Write[] {
  return unread.flatMap((part, index) =>
    recordReport(op, rail, bankEvent(unreadId(id, index), 'file.unread', part), 'UNREADABLE'),
  )
}

function unreadId(id: string, index: number): string {
  return `${id} unread ${index + 1}`
}

/**
 * Identifies a statement by its id at the bank, its balances and its lines, so that a repeated one is
 * recognized.
 */
function idOfStatement(
  { head }: Reading,
  { date, opening, closing }: Balances,
  lines: readonly Line[],
): string {
  const digest = hash('sha256', JSON.stringify(lines.map(({ name }) => name))).slice(0, DIGEST_CHARACTERS)
  return `statement ${head.id} ${date} ${opening} ${closing} ${digest}`
}

async function understandAll(reading: Reading, lines: readonly Line[]): Promise<UnderstoodLine[]> {
  // A line that confirms a deposit makes it unavailable to later lines.
  const atOnce = reading.rail.depositsFrom === 'STATEMENTS' ? LINES_AT_ONCE : 1
  const found: UnderstoodLine[] = []
  for (let at = 0; at < lines.length; at += atOnce)
    found.push(
      ...(await Promise.all(lines.slice(at, at + atOnce).map((line) => understandOrHold(reading, line)))),
    )
  // A line may be the sum of deposits that no line confirms, not even a later one.
  for (const [index, { line, hold }] of found.entries())
    if (hold?.reason === 'OTHER_AMOUNT') found[index] = await understandOrHold(reading, line)
  return found
}

/** Renames lines whose name is already used by another entry of the rail. */
async function renameDuplicates(op: Op, rail: string, lines: readonly Line[]): Promise<Line[]> {
  const used = new Set<string>()
  const apart: Line[] = []
  for (const line of lines) {
    let { name } = line
    while (used.has(name) || (await isEntryKnown(op, rail, name))) name = nextName(name)
    used.add(name)
    apart.push({ ...line, name })
  }
  return apart
}

function statementOf(
  { head }: Reading,
  { date, currency, opening, closing }: Balances,
  lines: readonly UnderstoodLine[],
  rest: bigint,
): ConnectorStatement {
  const unread = {
    entryId: `${date} ${head.id} ${opening} unread`,
    kind: 'OTHER',
    amount: String(rest),
    bookedAt: `${date}T00:00:00.000Z`,
    text: 'Entries that could not be read',
  } as const
  return {
    statementId: head.id,
    date,
    currency,
    openingBalance: String(opening),
    closingBalance: String(closing),
    entries: [...lines.flatMap(statementEntries), ...(rest === 0n ? [] : [unread])],
  }
}

function statementEntries({ line, entries, hold }: UnderstoodLine): StatementEntry[] {
  const head = { bookedAt: toReceivedAt(line), ...textOfLine(line) }
  if (hold !== undefined) return [{ ...head, entryId: line.name, kind: 'OTHER', amount: String(line.amount) }]
  return entries.map(({ amount, part: _, failure, ...entry }, index) => ({
    ...head,
    ...entry,
    // The reason for a return comes first, because the payer sees this text.
    ...(failure ? { text: [failure.message, head.text].filter(Boolean).join('; ').slice(0, TEXT_MAX) } : {}),
    entryId: entryIdOf(line, entries[index]),
    amount: String(amount),
  }))
}

/** The reports of lines that wait for a person. */
async function holdsOf(op: Op, rail: string, lines: readonly UnderstoodLine[]): Promise<readonly Write[]> {
  const writes: Write[] = []
  for (const { line, hold } of lines) if (hold) writes.push(...(await holdLine(op, rail, line, hold)))
  return writes
}
