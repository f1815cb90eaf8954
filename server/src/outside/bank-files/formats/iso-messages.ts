import type { StatementFormat } from '@countersign/contract/connectors/bank-formats'
import { BacsReader, type BacsRecord } from './bacs-reports.ts'
import { type BankRecord, CamtReader } from './camt.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { Pain002Reader, type StatusRecord } from './pain-002.ts'
import { toUnreadPart, type UnreadPart } from './unread-part.ts'
import { UnreadableFile } from './unreadable-file.ts'
import { type DocumentOpener, type DocumentReader, readXmlRecords } from './xml-records.ts'

/**
 * The supported versions of each message, as numbered in the namespace. They differ only in optional
 * elements.
 */
const VERSIONS = { camt: { from: 2, to: 13 }, pain: { from: 3, to: 14 } } as const

/**
 * Matches message names in namespaces: `urn:iso:std:iso:20022:tech:xsd:camt.053.001.08`, German ones such as
 * `urn:iso:std:iso:20022:tech:xsd:pain.002.003.03`, and Austrian ones such as
 * `ISO:pain.002.001.03:APC:STUZZA:payments:002` and
 * `urn:iso:std:iso:20022:tech:xsd:pain.002.001.03.austrian.002`.
 */
const MESSAGE = /(?:^|[:$/])(?:(camt)\.05[234]|(pain)\.002)\.00\d\.(\d\d)(?![0-9])/

/** A record of an XML file. Unreadable parts outside statements are separate records. */
export type IsoRecord =
  | { readonly of: 'PAIN_002'; readonly record: Exclude<StatusRecord, { readonly level: 'UNREAD' }> }
  | { readonly of: 'ACCOUNT'; readonly format: StatementFormat; readonly record: BankRecord }
  | { readonly of: 'BACS'; readonly record: Exclude<BacsRecord, { readonly type: 'unread' }> }
  | { readonly of: 'UNREAD'; readonly record: UnreadPart }

/**
 * Reads an XML file with one or more messages: camt.052, camt.053, camt.054 and pain.002 in any version and
 * envelope, and Bacs reports. Throws UnreadableFile if nothing in it is readable. Use it with `readTwice`.
 */
export async function* readIsoMessages(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<IsoRecord> {
  let firstUnread: UnreadPart | undefined
  let hasRecords = false
  const heldBack: IsoRecord[] = []
  for await (const found of readXmlRecords(bytes, openDocument())) {
    if (hasRecords) {
      yield found
      continue
    }
    // A file without a readable part must yield no records.
    heldBack.push(found)
    if (found.of === 'UNREAD') firstUnread ??= found.record
    else {
      hasRecords = true
      yield* heldBack
    }
    if (heldBack.length > UNREAD_FIRST_MAX) throw new UnreadableFile(explainRefusal(firstUnread))
  }
  if (!hasRecords) throw new UnreadableFile(explainRefusal(firstUnread))
}

/**
 * The maximum number of unreadable parts before the first readable part. With more, the file has another
 * format.
 */
const UNREAD_FIRST_MAX = 100

function explainRefusal(first: UnreadPart | undefined): string {
  return first?.reason ?? 'has no readable part'
}

function openDocument(): DocumentOpener<IsoRecord> {
  let documents = 0
  return (namespace, name) => {
    documents += 1
    if (name === 'BACSDocument') return mapRecords(new BacsReader(), toBacsRecord)
    const [, camt, pain, version = ''] = MESSAGE.exec(namespace) ?? []
    if (camt && isSupported(VERSIONS.camt, version)) return mapRecords(new CamtReader(), toBankRecord)
    if (pain && isSupported(VERSIONS.pain, version)) return mapRecords(new Pain002Reader(), toStatusRecord)
    return createUnknownReader(`document ${documents}`, namespace)
  }
}

function isSupported({ from, to }: { readonly from: number; readonly to: number }, version: string): boolean {
  return Number(version) >= from && Number(version) <= to
}

function toBankRecord(record: BankRecord): IsoRecord {
  // The part may be outside of a statement.
  return record.type === 'unread' && record.statement === null
    ? { of: 'UNREAD', record }
    : { of: 'ACCOUNT', format: 'CAMT_053', record }
}

function toStatusRecord(record: StatusRecord): IsoRecord {
  return record.level === 'UNREAD' ? { of: 'UNREAD', record } : { of: 'PAIN_002', record }
}

function toBacsRecord(record: BacsRecord): IsoRecord {
  return record.type === 'unread' ? { of: 'UNREAD', record } : { of: 'BACS', record }
}

function mapRecords<From, To>(reader: DocumentReader<From>, convert: (from: From) => To): DocumentReader<To> {
  return {
    records: reader.records,
    take: (record) => reader.take(record).map(convert),
    takeForeign: (record) => reader.takeForeign(record).map(convert),
    end: () => reader.end().map(convert),
  }
}

function createUnknownReader(place: string, namespace: string): DocumentReader<IsoRecord> {
  const reason = `has the namespace ${quoteForMessage(namespace)}; supported messages are camt.052, camt.053 and camt.054 in versions .02 to .13, and pain.002 in versions .03 to .14`
  const raw = `<Document xmlns="${namespace}">`
  return {
    records: new Set(),
    take: () => [],
    takeForeign: () => [],
    end: () => [{ of: 'UNREAD', record: toUnreadPart(place, reason, raw) }],
  }
}
