import type { ConnectorStatement, StatementEntry } from '@countersign/contract/connectors/events'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { BankFileRow } from '../db/schema/bank-file-tables.ts'
import { readable } from '../formats/readable.ts'
import { present } from '../op/present.ts'
import { findRailEvent } from '../rail-events/rail-events.ts'
import { type ApplyStatement, recorded } from '../rail-events/receive.ts'
import { decide, opOf } from '../rails/desk.ts'
import type { BankRecord } from './formats/camt.ts'
import type { BankEntry } from './formats/camt-entry.ts'
import type { Desk } from './rail.ts'
import type { FileRecord } from './records.ts'
import { isCharge, type Understood } from './reports.ts'
import { selectPaymentsOfFile } from './store.ts'

const PAGE = 1_000

/** An entry of a statement, or the file of ours that it is the sum of. */
type Drafted = StatementEntry & { readonly file?: BankFileRow }

const KINDS: Readonly<Record<string, StatementEntry['kind']>> = {
  'payment.delivered': 'PAYMENT',
  'payment.returned': 'PAYMENT_RETURN',
  'pull.delivered': 'PULL',
  'pull.returned': 'PULL_RETURN',
  'deposit.received': 'DEPOSIT',
}

/** What the lines of a statement of a bank are, gathered until its end: a day is compared as a whole. */
export class StatementDraft {
  #entries: Drafted[] = []

  /** A line, with what it was understood as. What is not booked is no line. */
  add(file: FileRecord, id: string, understood: Understood): void {
    if (file.of !== 'CAMT' || file.record.type === 'statement' || file.record.entry.status !== 'BOOK') return
    const { record } = file
    const amount =
      record.type === 'transaction' ? (record.transaction.amount ?? record.entry.amount) : restOf(record)
    if (amount !== 0n) this.#entries.push(drafted(id, record, amount, understood))
  }

  /** The lines so far; the next statement begins with none. */
  take(): readonly Drafted[] {
    const entries = this.#entries
    this.#entries = []
    return entries
  }
}

/** What an entry has beyond its transactions: all of it where there are none. */
function restOf({ entry, transactions, transactionsTotal }: Extract<BankRecord, { type: 'entry' }>): bigint {
  if (transactions === 0) return entry.amount
  return transactionsTotal === null ? 0n : entry.amount - transactionsTotal
}

function drafted(
  entryId: string,
  record: Extract<BankRecord, { type: 'transaction' | 'entry' }>,
  amount: bigint,
  understood: Understood,
): Drafted {
  const head = { entryId, bookedAt: bookedAt(record.entry), amount: String(amount), ...textOf(record) }
  if (understood.what === 'file' && understood.by === 'deliver')
    return { ...head, kind: 'PAYMENT', file: understood.file }
  if (understood.what !== 'report')
    return { ...head, kind: isCharge(record) ? chargeOf(record.entry) : 'OTHER' }
  const { report } = understood
  const kind = KINDS[report.type] ?? 'OTHER'
  if (report.type === 'deposit.received') return { ...head, kind, depositId: report.data.depositId }
  return 'id' in report.data ? { ...head, kind, id: report.data.id } : { ...head, kind }
}

function chargeOf({ transactionCode }: BankEntry): 'INTEREST' | 'FEE' {
  return transactionCode?.endsWith('-INTR') ? 'INTEREST' : 'FEE'
}

function bookedAt({ bookedOn, valueOn }: BankEntry): string {
  return `${bookedOn ?? valueOn ?? '1970-01-01'}T00:00:00.000Z`
}

function textOf(record: Extract<BankRecord, { type: 'transaction' | 'entry' }>): { readonly text?: string } {
  const text =
    record.type === 'transaction'
      ? [record.transaction.remittanceInformation, record.transaction.text].filter(Boolean).join(' ')
      : record.entry.text
  return present({ text: readable(text ?? undefined) })
}

/** Hands a statement on whose lines are all known, once. Advices and statements without balances are no day's whole. */
export async function applyDraft(
  desk: Desk,
  apply: ApplyStatement,
  draft: StatementDraft,
  record: Extract<BankRecord, { type: 'statement' }>,
  id: string,
): Promise<void> {
  const statement = await statementOf(desk, record, draft.take())
  if (!statement) return
  const { name } = desk.rail
  await decide(desk, async (op) => {
    if (await findRailEvent(op, name, id)) return []
    const { writes, reason } = await apply(op, name, statement)
    const { entries, ...head } = statement
    const event = {
      id,
      type: 'statement',
      occurredAt: op.now.toISOString(),
      data: { ...head, entries: entries.length },
    }
    return [...writes, ...recorded(op, name, event, reason)]
  })
}

async function statementOf(
  desk: Desk,
  { statement, balances }: Extract<BankRecord, { type: 'statement' }>,
  drafts: readonly Drafted[],
): Promise<ConnectorStatement | undefined> {
  const opening = balances.find(({ type }) => type === 'OPBD') ?? balances.find(({ type }) => type === 'PRCD')
  const closing = balances.findLast(({ type }) => type === 'CLBD')
  if (statement.kind !== 'STATEMENT' || !opening || !closing || !isKnownCurrency(closing.currency))
    return undefined
  const entries: StatementEntry[] = []
  for (const { file, ...entry } of drafts)
    if (file) entries.push(...(await paymentsOf(desk, file, entry)))
    else entries.push(entry)
  return {
    statementId: statement.id,
    date: closing.date,
    currency: closing.currency,
    openingBalance: String(opening.amount),
    closingBalance: String(closing.amount),
    entries,
  }
}

/** The lines of a file that the bank booked as one sum. */
async function paymentsOf(desk: Desk, { id }: BankFileRow, entry: StatementEntry): Promise<StatementEntry[]> {
  const entries: StatementEntry[] = []
  for (let after = 0; ; ) {
    const page = await selectPaymentsOfFile(await opOf(desk), id, after, PAGE)
    for (const { payment_id, place, amount } of page)
      entries.push({
        ...entry,
        entryId: `${entry.entryId}-${place}`,
        amount: String(-amount),
        id: payment_id,
      })
    const last = page.at(-1)?.place
    if (page.length < PAGE || last === undefined || last === null) return entries
    after = last
  }
}
