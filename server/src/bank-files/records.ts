import type { Write } from '../db/commit/writes.ts'
import type { BankInboxFileRow } from '../db/schema/bank-file-tables.ts'
import type { Op } from '../op/app.ts'
import { applyReport } from '../rail-events/apply.ts'
import { findRailEvent } from '../rail-events/rail-events.ts'
import { recorded } from '../rail-events/receive.ts'
import { decide } from '../rails/desk.ts'
import { type AchRecord, readAch } from './formats/ach-reader.ts'
import { type BankRecord, CAMT_NAMESPACES, readCamt } from './formats/camt.ts'
import { type BankStatus, PAIN_002_NAMESPACES, readPain002 } from './formats/pain-002.ts'
import { tellAll } from './outgoing.ts'
import type { Desk } from './rail.ts'
import { ofAch, ofBooking, ofStatus, type Understood } from './reports.ts'

export type FileRecord =
  | { readonly of: 'PAIN_002'; readonly record: BankStatus }
  | { readonly of: 'CAMT'; readonly record: BankRecord }
  | { readonly of: 'ACH'; readonly record: AchRecord }

type Kind = BankInboxFileRow['kind']

/** What a file is, by its first bytes. */
export function kindOf(head: Uint8Array): Kind {
  const text = Buffer.from(head).toString('latin1')
  if (/^101[ 0-9]/.test(text)) return 'ACH'
  if (PAIN_002_NAMESPACES.some((one) => text.includes(one))) return 'PAIN_002'
  if (CAMT_NAMESPACES.some((one) => text.includes(one))) return 'CAMT'
  return 'UNKNOWN'
}

/** The records of a file. Throws UnreadableFile. */
export async function* readRecords(kind: Kind, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileRecord> {
  if (kind === 'PAIN_002') for await (const record of readPain002(bytes)) yield { of: kind, record }
  if (kind === 'CAMT') for await (const record of readCamt(bytes)) yield { of: kind, record }
  if (kind === 'ACH') for await (const record of readAch(bytes)) yield { of: kind, record }
}

/** Gives a record its effect and remembers it by this id, once. What fits nothing waits for a person. Says what it was. */
export async function applyRecord(desk: Desk, file: FileRecord, id: string): Promise<Understood> {
  const { name } = desk.rail
  let understood: Understood = { what: 'nothing' }
  await decide(desk, async (op) => {
    understood = await understand(op, desk, file, id)
    if (understood.what === 'nothing' || (await findRailEvent(op, name, id))) return []
    if (understood.what === 'waits') return recorded(op, name, eventOf(file, id), understood.reason)
    if (understood.what === 'report') {
      const { writes, reason } = await applyReport(op, name, understood.report)
      return [...writes, ...recorded(op, name, plain({ ...understood.report }), reason)]
    }
    return ofFile(op, desk, understood, file, id)
  })
  return understood
}

/** Tells all payments of a file; they remember by themselves, so that a crash in between leaves the rest for the next run. */
async function ofFile(
  op: Op,
  desk: Desk,
  { file, by, failure, status }: Extract<Understood, { what: 'file' }>,
  from: FileRecord,
  id: string,
): Promise<Write[]> {
  await tellAll(desk, file, by, failure ? { failure } : {})
  return [
    { write: 'update', table: 'bank_files', id: file.id, expect: {}, set: { bank_status: status } },
    ...recorded(op, desk.rail.name, eventOf(from, id), undefined),
  ]
}

function understand(op: Op, { rail }: Desk, file: FileRecord, id: string): Promise<Understood> {
  const source = { op, rail, id }
  if (file.of === 'PAIN_002') return ofStatus(source, file.record)
  if (file.of === 'ACH') return ofAch(source, file.record)
  if (file.record.type === 'statement') return Promise.resolve({ what: 'nothing' })
  return ofBooking(source, file.record)
}

const TYPES = { PAIN_002: 'file.status', CAMT: 'file.booking', ACH: 'file.ach' } as const

/** A record as a person sees it in the queue. */
function eventOf(file: FileRecord, id: string): { readonly id: string; readonly type: string } {
  return plain({ id, type: TYPES[file.of], data: file.record })
}

/** The same with amounts as texts of digits, as a record of a report takes them. */
function plain<Value>(value: Value): Value {
  return textual(value) as Value
}

function textual(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map(textual)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, textual(one)]))
}
