import {
  type AchChange,
  type AchEntry,
  type AchHead,
  type AchPayment,
  type AchReturn,
  applySign,
  parseChange,
  parseEntry,
  parseHead,
  parsePayment,
  parseReturn,
  readAddendaType,
} from './ach-entry.ts'
import { type AchLine, readAchLines } from './ach-lines.ts'
import { readNumber, readRecord, type Values } from './ach-records.ts'
import { AchTotals } from './ach-totals.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { countLeadingPadding } from './decode-text.ts'
import { readPart, toUnreadPart, type UnreadPart } from './unread-part.ts'
import { UnreadableFile, UnreadablePart } from './unreadable-file.ts'

/** Reads a bank's NACHA file: returns, notifications of change, and entries from other originators. */

/** The maximum number of addenda that any entry class allows. */
const ADDENDA_MAX = 9_999

export type AchRecord =
  /** The file header, which precedes the entries. */
  | { readonly type: 'head'; readonly head: AchHead }
  | ({ readonly type: 'entry'; readonly entry: AchEntry } & AchPayment)
  | ({ readonly type: 'return'; readonly entry: AchEntry } & AchReturn)
  | ({ readonly type: 'change'; readonly entry: AchEntry } & AchChange)
  | ({
      readonly type: 'unread'
      /** The line number, starting at 1. */
      readonly line: number
      /** The entry, if its entry record is readable. */
      readonly entry: AchEntry | null
    } & UnreadPart)

/**
 * Reads a file in constant memory, for use with `readTwice`. Unreadable records, international entries (IAT)
 * and accounting advices (ADV) become `unread` records. Throws UnreadableFile if the header or a control
 * record is missing, or if a control record contradicts the records before it.
 */
export async function* readAch(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<AchRecord> {
  const parser = new AchParser()
  for await (const line of readAchLines(bytes)) yield* parser.take(line)
  parser.end()
}

interface OpenEntry {
  readonly line: AchLine
  readonly addenda: string[]
}

type Control = Readonly<Record<'entries' | 'hash' | 'debits' | 'credits', string>>

class AchParser {
  #line = 0
  #head: AchHead | undefined
  #batch: Values<'batchHeader'> | undefined
  #entry: OpenEntry | undefined
  #batchTotals = new AchTotals()
  #fileTotals = new AchTotals()
  #batches = 0
  #hasAdvices = false
  #hasEnded = false

  /** Processes a line, and returns the entry that ended before it. */
  take(line: AchLine): readonly AchRecord[] {
    this.#line = line.number
    const kind = line.text.charAt(0)
    if (!this.#head || this.#hasEnded) return this.#begin(line)
    if (kind === '7') return this.#addAddenda(line)
    const endedEntry = this.#endEntry()
    if (kind === '5') this.#beginBatch(line)
    else if (kind === '6') this.#entry = { line, addenda: [] }
    else if (kind === '8') this.#endBatch(line)
    else if (kind === '9') return [...endedEntry, ...this.#endFile(line)]
    else return [...endedEntry, this.#readUnknown(line)]
    return endedEntry
  }

  end(): void {
    if (!this.#hasEnded) this.#refuse('ends before its control record')
  }

  /** Reads a file header: the first line, or the first line of a further file. */
  #begin({ text }: AchLine): readonly AchRecord[] {
    if (this.#hasEnded && /^9*$/.test(text.trim())) return []
    if (!text.startsWith('1'))
      this.#refuse(this.#hasEnded ? 'continues after its control record' : 'does not begin with a header')
    this.#head = parseHead(text)
    this.#fileTotals = new AchTotals()
    this.#batches = 0
    this.#hasAdvices = false
    this.#hasEnded = false
    return [{ type: 'head', head: this.#head }]
  }

  #beginBatch({ text }: AchLine): void {
    if (this.#batch) this.#refuse('begins a batch inside another batch')
    this.#batch = readRecord('batchHeader', text)
    this.#hasAdvices ||= this.#batch.entryClass === 'ADV'
  }

  #addAddenda(line: AchLine): readonly AchRecord[] {
    if (!this.#entry) {
      this.#batchTotals.addUnknown(1)
      return [this.#toUnread(line, 'is an addenda record without an entry')]
    }
    if (this.#entry.addenda.length === ADDENDA_MAX) this.#refuse(`has more than ${ADDENDA_MAX} addenda`)
    this.#entry.addenda.push(line.text)
    return []
  }

  /** Counts a line of unknown type, which may have been an entry or an addenda record. */
  #readUnknown(line: AchLine): AchRecord {
    this.#batchTotals.unknownLines += 1
    this.#batchTotals.hasUnknown = true
    return this.#toUnread(
      line,
      `begins with ${quoteForMessage(line.text.charAt(0))}, which is not a record type`,
    )
  }

  #endEntry(): readonly AchRecord[] {
    const openEntry = this.#entry
    if (!openEntry) return []
    this.#entry = undefined
    const { line, addenda } = openEntry
    const isAdvice = this.#batch?.entryClass === 'ADV'
    const { transactionCode, receivingBank, amount } = readRecord(isAdvice ? 'advEntry' : 'entry', line.text)
    const units = readNumber(amount)
    const isCounted = units !== undefined && /^\d\d$/.test(transactionCode) && /^\d{8}$/.test(receivingBank)
    if (isCounted) this.#batchTotals.add(transactionCode, receivingBank, units, addenda.length)
    else this.#batchTotals.addUnknown(1 + addenda.length)
    const money = isCounted ? { amount: applySign(transactionCode, units), currency: 'USD' } : undefined
    const part = readPart(() => this.#parseRecord(line, addenda))
    if ('read' in part) return [part.read]
    return [this.#toUnread(line, part.reason, addenda, money)]
  }

  #parseRecord(line: AchLine, addenda: readonly string[]): AchRecord {
    const batch = this.#batch
    if (!batch) throw new UnreadablePart('is an entry outside of a batch')
    if (batch.entryClass === 'ADV') throw new UnreadablePart('is an accounting advice (ADV)')
    if (batch.entryClass === 'IAT' || batch.companyName.startsWith('IATCOR'))
      throw new UnreadablePart('is an international payment (IAT)')
    const entry = parseEntry(this.#head, batch, readRecord('entry', line.text))
    const returned = addenda.find((addendum) => readAddendaType(addendum) === '99')
    if (returned !== undefined) return { type: 'return', entry, ...parseReturn(returned) }
    const changed = addenda.find((addendum) => readAddendaType(addendum) === '98')
    if (changed !== undefined) return { type: 'change', entry, ...parseChange(changed) }
    // Codes ending in 1 or 6 are for returns and changes, which have their own addenda types.
    if (/[16]$/.test(entry.transactionCode))
      throw new UnreadablePart('is a return or a change without its addenda record')
    return { type: 'entry', entry, ...parsePayment(entry, addenda) }
  }

  #endBatch({ text }: AchLine): void {
    if (!this.#batch && this.#batchTotals.entries + this.#batchTotals.unknownLines === 0)
      this.#refuse('ends a batch that has not begun')
    const isAdvice = this.#batch?.entryClass === 'ADV'
    const control = readRecord(isAdvice ? 'advBatchControl' : 'batchControl', text)
    const { entries, unknownLines } = this.#batchTotals
    this.#checkNumber('number of entries', control.entries, entries, entries + unknownLines)
    this.#checkAmounts(control, this.#batchTotals)
    this.#fileTotals.addAll(this.#batchTotals)
    this.#batches += 1
    this.#batch = undefined
    this.#batchTotals = new AchTotals()
  }

  #endFile(line: AchLine): readonly AchRecord[] {
    if (this.#batch) this.#refuse('ends inside a batch')
    this.#fileTotals.addAll(this.#batchTotals)
    this.#batchTotals = new AchTotals()
    const control = readRecord(this.#hasAdvices ? 'advFileControl' : 'fileControl', line.text)
    const { entries, unknownLines } = this.#fileTotals
    this.#checkAmounts(control, this.#fileTotals)
    this.#hasEnded = true
    // The entry hash and the amounts prove that all entries are present, so wrong counts do not refuse the
    // file.
    const counts = [
      ['number of entries', control.entries, entries, entries + unknownLines],
      ['number of batches', control.batches, this.#batches, this.#batches],
    ] as const
    return counts.flatMap(([label, written, min, max]) => {
      const stated = readNumber(written)
      if (stated !== undefined && stated >= BigInt(min) && stated <= BigInt(max)) return []
      return [this.#toUnread(line, `states ${written} as its ${label}, but has ${min}`)]
    })
  }

  #checkAmounts(control: Control, totals: AchTotals): void {
    const { hasUnknown, debits, credits } = totals
    // If the amount of an entry is unknown, the sum of the others may be lower than stated, but never higher.
    this.#checkNumber('sum of debits', control.debits, debits, hasUnknown ? null : debits)
    this.#checkNumber('sum of credits', control.credits, credits, hasUnknown ? null : credits)
    if (!hasUnknown) this.#checkNumber('entry hash', control.hash, totals.hash)
  }

  /** Refuses the file unless the stated number is between `min` and `max`. Null means no upper bound. */
  #checkNumber(
    label: string,
    written: string,
    min: number | bigint,
    max: number | bigint | null = min,
  ): void {
    const stated = readNumber(written)
    if (stated === undefined) this.#refuse(`has no number as its ${label}`)
    if (stated < BigInt(min) || (max !== null && stated > BigInt(max)))
      this.#refuse(`states ${stated} as its ${label}, but has ${min}`)
  }

  #toUnread(
    { number, text }: AchLine,
    reason: string,
    addenda: readonly string[] = [],
    money?: { readonly amount: bigint; readonly currency: string },
  ): AchRecord {
    const raw = [text, ...addenda].map((line) => line.trimEnd()).join('\n')
    const batch = this.#batch
    const entry = batch && readPart(() => parseEntry(this.#head, batch, readRecord('entry', text)))
    return {
      type: 'unread',
      line: number,
      entry:
        entry && 'read' in entry && batch.entryClass !== 'ADV' && batch.entryClass !== 'IAT'
          ? entry.read
          : null,
      ...toUnreadPart(`line ${number}`, `line ${number}: ${reason}`, raw, money),
    }
  }

  #refuse(reason: string): never {
    throw new UnreadableFile(`line ${this.#line}: ${reason}`)
  }
}

/** True if a file begins with a file header: record type 1 and priority code 01. */
export function startsLikeAch(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('utf8')
  return /^101[ 0-9A-Z]/.test(text.slice(countLeadingPadding(text)))
}
