import { hash } from 'node:crypto'
import type { ConnectorStatement, StatementEntry } from '@countersign/contract/connectors/events'
import { present } from '@countersign/contract/core/objects'
import { toPlainJson } from '../../base/json/plain-json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { isAccount } from '../../money/evidence/judge.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { createRailOp, decide } from '../../money/rails/rail-worker.ts'
import { finishBooking } from '../../operation/reconciliations/finish-booking.ts'
import {
  findStatementPart,
  isEntryKnown,
  recordStatement,
} from '../../operation/reconciliations/statements.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { applyLine } from './apply-line.ts'
import { toReceivedAt } from './deposit-of-line.ts'
import { holdLine, holdRecord, toBankEvent, type UnderstoodLine } from './hold-line.ts'
import { type BankFilesRail, type BankFileWorker, CARRIED } from './rail.ts'
import type { Reading } from './reading.ts'
import {
  type Balances,
  type BankStatement,
  findBalances,
  findSharedReferences,
  type Line,
  toLines,
  toNextName,
} from './statement-lines.ts'
import { formatLineText, toEntryId, understandLine } from './understand-line.ts'

const DIGEST_CHARACTERS = 32
const LINES_IN_PARALLEL = 50
/** The maximum length of an entry's text in the connector protocol. */
const TEXT_MAX = 1000

/**
 * Applies a statement or an advice exactly once, even after crashes. A statement with balances covers a whole
 * day: it is recorded completely and then booked, or has no effect. The lines of other statements take effect
 * one by one.
 */
export async function applyStatement(worker: BankFileWorker, statement: BankStatement): Promise<void> {
  const { head } = statement
  // Interim reports of an unfinished day are not final.
  if (head.kind === 'REPORT') return
  const balances = findBalances(statement)
  const currency = head.currency ?? balances?.currency ?? statement.entries[0]?.entry.currency ?? null
  if (!isOurs(worker.rail, head.account, currency)) return noteOtherAccount(worker, head.account, currency)
  if (statement.contradiction !== null) return setAsideContradiction(worker, statement)
  const lines = toLines(statement)
  const isWholeDay = head.kind === 'STATEMENT' && balances !== undefined
  const startReading = async () => ({
    ...{ op: await createRailOp(worker), rail: worker.rail, head, isWholeDay },
    ...{ taken: new Set<string>(), shared: findSharedReferences(statement) },
    names: new Set(lines.map(({ name }) => name)),
  })
  // An earlier statement about the same money must be booked before this one.
  await finishBooking(worker.app, await createRailOp(worker), worker.rail.name)
  if (isWholeDay) return applyDay(worker, startReading, { balances, lines, unread: statement.unread })
  await holdUnread(worker, statement)
  const reading = await startReading()
  for (const line of lines) await applyLine(worker, reading, await understandOrHold(reading, line))
}

async function understandOrHold(reading: Reading, line: Line): Promise<UnderstoodLine> {
  const meaning = await understandLine(reading, line)
  return 'hold' in meaning ? { line, entries: [], hold: meaning.hold } : { line, entries: meaning.entries }
}

function isOurs(rail: BankFilesRail, account: string | null, currency: string | null): boolean {
  return (
    account !== null &&
    isAccount(rail.accountNumbers, account) &&
    currency === CARRIED[rail.entry.format.type]
  )
}

/** Reports once that the bank delivers files about another account to this rail. They have no effect. */
export function noteOtherAccount(
  worker: BankFileWorker,
  account: string | null,
  currency: string | null,
): Promise<void> {
  const data = present({ account, currency })
  const event = toBankEvent(`other-account ${account} ${currency}`, 'file.other-account', data)
  return holdRecord(worker, event, 'OTHER_ACCOUNT')
}

/** Records a whole day. Lines that cannot be matched wait for manual review. */
async function applyDay(
  worker: BankFileWorker,
  startReading: () => Promise<Reading>,
  { balances, lines, unread }: Day,
): Promise<void> {
  const { name: rail } = worker.rail
  const reading = await startReading()
  const id = toStatementId(reading, balances, lines)
  if (await findRailEvent(reading.op, rail, id)) return
  const unexplained = balances.closing - balances.opening - sumLines(lines)
  // The statement was read completely, but the balances do not match.
  if (unexplained !== 0n && unread.length === 0) return setAside(worker, id, { ...reading.head, ...balances })
  const first = await understandAll(reading, lines)
  const part = await findStatementPart(reading.op, rail, toStatement(reading, balances, first, unexplained))
  if (part === 'repeat') return
  // The balances prove that this money is additional, even if its lines have the same content as earlier
  // ones.
  const isAdditional = part === 'continues' || part === 'precedes'
  const found = isAdditional
    ? await understandAll(await startReading(), await renameDuplicates(reading.op, rail, lines))
    : first
  const statement = toStatement(reading, balances, found, unexplained)
  await decide(worker, async (op) => {
    if (await findRailEvent(op, rail, id)) return []
    const { writes, reason, isNew } = await recordStatement(op, rail, statement)
    const event = { id, type: 'statement', data: { ...statement, entries: statement.entries.length } }
    const holds = isNew ? [...(await holdLines(op, rail, found)), ...recordUnread(op, rail, id, unread)] : []
    return [...writes, ...recordReport(op, rail, event, reason), ...holds]
  })
}

/** A day as reported by a statement with balances. */
interface Day {
  readonly balances: Balances
  readonly lines: readonly Line[]
  readonly unread: BankStatement['unread']
}

function sumLines(lines: readonly Line[]): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, 0n)
}

/** Sets aside a statement that contradicts itself. Other statements in the same file still take effect. */
function setAsideContradiction(worker: BankFileWorker, statement: BankStatement): Promise<void> {
  const { head, balances, entries, contradiction: reason } = statement
  const content = toPlainJson([head.createdAt, balances, entries])
  const digest = hash('sha256', JSON.stringify(content)).slice(0, DIGEST_CHARACTERS)
  const id = `${head.kind} ${head.id} ${digest} contradiction`
  return setAside(worker, id, { ...head, balances, reason })
}

function setAside(worker: BankFileWorker, id: string, content: object): Promise<void> {
  return holdRecord(worker, toBankEvent(id, 'statement', content), 'UNREADABLE')
}

/** Holds the unreadable parts of an advice, or of a statement without balances, for manual review. */
function holdUnread(worker: BankFileWorker, { head, unread }: BankStatement): Promise<void> {
  const id = `${head.kind} ${head.id} ${head.createdAt}`
  const { name } = worker.rail
  return decide(worker, async (op) =>
    unread.length === 0 || (await findRailEvent(op, name, toUnreadId(id, 0)))
      ? []
      : recordUnread(op, name, id, unread),
  )
}

function recordUnread(op: Op, rail: string, id: string, unread: BankStatement['unread']): Write[] {
  return unread.flatMap((part, index) =>
    recordReport(op, rail, toBankEvent(toUnreadId(id, index), 'file.unread', part), 'UNREADABLE'),
  )
}

function toUnreadId(id: string, index: number): string {
  return `${id} unread ${index + 1}`
}

/** Identifies a statement by the bank's id, its balances and its lines, so that a repeat is recognized. */
function toStatementId(
  { head }: Reading,
  { date, opening, closing }: Balances,
  lines: readonly Line[],
): string {
  const digest = hash('sha256', JSON.stringify(lines.map(({ name }) => name))).slice(0, DIGEST_CHARACTERS)
  return `statement ${head.id} ${date} ${opening} ${closing} ${digest}`
}

async function understandAll(reading: Reading, lines: readonly Line[]): Promise<UnderstoodLine[]> {
  // A line that confirms a deposit makes it unavailable to later lines, so their order matters.
  const inParallel = reading.rail.depositsFrom === 'STATEMENTS' ? LINES_IN_PARALLEL : 1
  const found: UnderstoodLine[] = []
  for (let at = 0; at < lines.length; at += inParallel)
    found.push(
      ...(await Promise.all(lines.slice(at, at + inParallel).map((line) => understandOrHold(reading, line)))),
    )
  // Later lines may have confirmed the deposits of which this line seemed to be the sum.
  for (const [index, { line, hold }] of found.entries())
    if (hold?.reason === 'OTHER_AMOUNT') found[index] = await understandOrHold(reading, line)
  return found
}

/** Renames lines whose name is already used by another entry of the rail. */
async function renameDuplicates(op: Op, rail: string, lines: readonly Line[]): Promise<Line[]> {
  const used = new Set<string>()
  const renamed: Line[] = []
  for (const line of lines) {
    let { name } = line
    while (used.has(name) || (await isEntryKnown(op, rail, name))) name = toNextName(name)
    used.add(name)
    renamed.push({ ...line, name })
  }
  return renamed
}

function toStatement(
  { head }: Reading,
  { date, currency, opening, closing }: Balances,
  lines: readonly UnderstoodLine[],
  unexplained: bigint,
): ConnectorStatement {
  const unread = {
    entryId: `${date} ${head.id} ${opening} unread`,
    kind: 'OTHER',
    amount: String(unexplained),
    bookedAt: `${date}T00:00:00.000Z`,
    text: 'Entries that could not be read',
  } as const
  return {
    statementId: head.id,
    date,
    currency,
    openingBalance: String(opening),
    closingBalance: String(closing),
    entries: [...lines.flatMap(toStatementEntries), ...(unexplained === 0n ? [] : [unread])],
  }
}

function toStatementEntries({ line, entries, hold }: UnderstoodLine): StatementEntry[] {
  const head = { bookedAt: toReceivedAt(line), ...formatLineText(line) }
  if (hold !== undefined) return [{ ...head, entryId: line.name, kind: 'OTHER', amount: String(line.amount) }]
  return entries.map(({ amount, part: _, failure, ...entry }, index) => ({
    ...head,
    ...entry,
    // The reason for a return comes first, because the payer sees this text.
    ...(failure ? { text: [failure.message, head.text].filter(Boolean).join('; ').slice(0, TEXT_MAX) } : {}),
    entryId: toEntryId(line, entries[index]),
    amount: String(amount),
  }))
}

/** Reports the lines that wait for manual review. */
async function holdLines(op: Op, rail: string, lines: readonly UnderstoodLine[]): Promise<readonly Write[]> {
  const writes: Write[] = []
  for (const { line, hold } of lines) if (hold) writes.push(...(await holdLine(op, rail, line, hold)))
  return writes
}
