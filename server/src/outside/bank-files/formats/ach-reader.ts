import {
  type AchChange,
  type AchEntry,
  type AchHead,
  type AchPayment,
  type AchReturn,
  addendaType,
  changeOf,
  entryOf,
  headOf,
  paymentOf,
  returnOf,
  withSign,
} from './ach-entry.ts'
import { type AchLine, readAchLines } from './ach-lines.ts'
import { readNumber, readRecord, type Values } from './ach-records.ts'
import { AchTotals } from './ach-totals.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { countLeadingPadding } from './decode-text.ts'
import { readPart, type UnreadPart, unreadPart } from './unread-part.ts'
import { UnreadableFile, UnreadablePart } from './unreadable-file.ts'

/** Reads a bank's NACHA file: returns, notifications of change, and entries that others sent to us. */

/** The maximum number of addenda of an entry. No class allows more. */
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
      /** The entry, if its own record is readable. */
      readonly entry: AchEntry | null
    } & UnreadPart)

/**
 * Reads a file in constant memory, for use with `readTwice`. Unreadable records, international entries (IAT)
 * and accounting advices (ADV) become separate records. Throws UnreadableFile if the file does not begin with
 * a header and end with a control record, or if the control record of a batch or the file contradicts its
 * records.
 */
export async function* readAch(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<AchRecord> {
  const reading = new Reading()
  for await (const line of readAchLines(bytes)) yield* reading.take(line)
  reading.end()
}

interface OpenEntry {
  readonly line: AchLine
  readonly addenda: string[]
}

type Control = Readonly<Record<'entries' | 'hash' | 'debits' | 'credits', string>>

class Reading {
  #line = 0
  #head: AchHead | undefined
  #batch: Values<'batchHeader'> | undefined
  #entry: OpenEntry | undefined
  #ofBatch = new AchTotals()
  #ofFile = new AchTotals()
  #batches = 0
  #hasAdvices = false
  #hasEnded = false

  /** Processes a line, and returns the entry that ended before it. */
  take(line: AchLine): readonly AchRecord[] {
    this.#line = line.number
    const kind = line.text.charAt(0)
    if (!this.#head || this.#hasEnded) return this.#begin(line)
    if (kind === '7') return this.#addenda(line)
    const ended = this.#endEntry()
    if (kind === '5') this.#beginBatch(line)
    else if (kind === '6') this.#entry = { line, addenda: [] }
    else if (kind === '8') this.#endBatch(line)
    else if (kind === '9') return [...ended, ...this.#endFile(line)]
    else return [...ended, this.#readUnknown(line)]
    return ended
  }

  end(): void {
    if (!this.#hasEnded) this.#refuse('ends before its control record')
  }

  /** Reads a file header: the first line, or the first line of a further file. */
  #begin({ text }: AchLine): readonly AchRecord[] {
    if (this.#hasEnded && /^9*$/.test(text.trim())) return []
    if (!text.startsWith('1'))
      this.#refuse(this.#hasEnded ? 'continues after its control record' : 'does not begin with a header')
    this.#head = headOf(text)
    this.#ofFile = new AchTotals()
    this.#batches = 0
    this.#hasAdvices = false
    this.#hasEnded = false
    return [{ type: 'head', head: this.#head }]
  }

  #beginBatch({ text }: AchLine): void {
    if (this.#batch) this.#refuse('begins a batch inside another')
    this.#batch = readRecord('batchHeader', text)
    this.#hasAdvices ||= this.#batch.entryClass === 'ADV'
  }

  #addenda(line: AchLine): readonly AchRecord[] {
    if (!this.#entry) {
      this.#ofBatch.addUnknown(1)
      return [this.#toUnread(line, 'is an addenda record without an entry')]
    }
    if (this.#entry.addenda.length === ADDENDA_MAX) this.#refuse(`has more than ${ADDENDA_MAX} addenda`)
    this.#entry.addenda.push(line.text)
    return []
  }

  /** Reads a line of unknown type. It may have been an entry or an addenda record. */
  #readUnknown(line: AchLine): AchRecord {
    this.#ofBatch.unknownLines += 1
    this.#ofBatch.hasUnknown = true
    return this.#toUnread(line, `begins with ${quoteForMessage(line.text.charAt(0))}, which no record does`)
  }

  #endEntry(): readonly AchRecord[] {
    const open = this.#entry
    if (!open) return []
    this.#entry = undefined
    const { line, addenda } = open
    const isAdvice = this.#batch?.entryClass === 'ADV'
    const { transactionCode, receivingBank, amount } = readRecord(isAdvice ? 'advEntry' : 'entry', line.text)
    const units = readNumber(amount)
    const isCounted = units !== undefined && /^\d\d$/.test(transactionCode) && /^\d{8}$/.test(receivingBank)
    if (isCounted) this.#ofBatch.add(transactionCode, receivingBank, units, addenda.length)
    else this.#ofBatch.addUnknown(1 + addenda.length)
    const money = isCounted ? { amount: withSign(transactionCode, units), currency: 'USD' } : undefined
    const part = readPart(() => this.#recordOf(line, addenda))
    if ('read' in part) return [part.read]
    return [this.#toUnread(line, part.reason, addenda, money)]
  }

  #recordOf(line: AchLine, addenda: readonly string[]): AchRecord {
    const batch = this.#batch
    if (!batch) throw new UnreadablePart('is an entry outside of a batch')
    if (batch.entryClass === 'ADV') throw new UnreadablePart('is an accounting advice (ADV)')
    if (batch.entryClass === 'IAT' || batch.companyName.startsWith('IATCOR'))
      throw new UnreadablePart('is of an international payment (IAT)')
    const entry = entryOf(this.#head, batch, readRecord('entry', line.text))
    const returned = addenda.find((one) => addendaType(one) === '99')
    if (returned !== undefined) return { type: 'return', entry, ...returnOf(returned) }
    const changed = addenda.find((one) => addendaType(one) === '98')
    if (changed !== undefined) return { type: 'change', entry, ...changeOf(changed) }
    // Codes ending in 1 or 6 are for returns and changes, whose addenda say so.
    if (/[16]$/.test(entry.transactionCode))
      throw new UnreadablePart('is a return or a change without its addenda record')
    return { type: 'entry', entry, ...paymentOf(entry, addenda) }
  }

  #endBatch({ text }: AchLine): void {
    if (!this.#batch && this.#ofBatch.entries + this.#ofBatch.unknownLines === 0)
      this.#refuse('ends a batch that has not begun')
    const isAdvice = this.#batch?.entryClass === 'ADV'
    const control = readRecord(isAdvice ? 'advBatchControl' : 'batchControl', text)
    const { entries, unknownLines } = this.#ofBatch
    this.#checkNumber('entries', control.entries, entries, entries + unknownLines)
    this.#amounts(control, this.#ofBatch)
    this.#ofFile.addAll(this.#ofBatch)
    this.#batches += 1
    this.#batch = undefined
    this.#ofBatch = new AchTotals()
  }

  #endFile(line: AchLine): readonly AchRecord[] {
    if (this.#batch) this.#refuse('ends inside a batch')
    this.#ofFile.addAll(this.#ofBatch)
    this.#ofBatch = new AchTotals()
    const control = readRecord(this.#hasAdvices ? 'advFileControl' : 'fileControl', line.text)
    const { entries, unknownLines } = this.#ofFile
    this.#amounts(control, this.#ofFile)
    this.#hasEnded = true
    // The sums of banks and amounts show that all entries are present. Each batch must have its stated
    // number.
    const counts = [
      ['entries', control.entries, entries, entries + unknownLines],
      ['batches', control.batches, this.#batches, this.#batches],
    ] as const
    return counts.flatMap(([what, written, least, most]) => {
      const number = readNumber(written)
      if (number !== undefined && number >= BigInt(least) && number <= BigInt(most)) return []
      return [this.#toUnread(line, `says that its ${what} are ${written}, and they are ${least}`)]
    })
  }

  #amounts(control: Control, totals: AchTotals): void {
    const { hasUnknown, debits, credits } = totals
    // If the amount of an entry is unknown, the sum of the others may be lower, but never higher.
    this.#checkNumber('debits', control.debits, debits, hasUnknown ? null : debits)
    this.#checkNumber('credits', control.credits, credits, hasUnknown ? null : credits)
    if (!hasUnknown) this.#checkNumber('entry hash', control.hash, totals.hash)
  }

  /** `most` is the upper bound, or null without an upper bound. */
  #checkNumber(
    what: string,
    written: string,
    least: number | bigint,
    most: number | bigint | null = least,
  ): void {
    const number = readNumber(written)
    if (number === undefined) this.#refuse(`has no number as its ${what}`)
    if (number < BigInt(least) || (most !== null && number > BigInt(most)))
      this.#refuse(`says that its ${what} are ${number}, and they are ${least}`)
  }

  #toUnread(
    { number, text }: AchLine,
    reason: string,
    addenda: readonly string[] = [],
    money?: { readonly amount: bigint; readonly currency: string },
  ): AchRecord {
    const raw = [text, ...addenda].map((one) => one.trimEnd()).join('\n')
    const batch = this.#batch
    const entry = batch && readPart(() => entryOf(this.#head, batch, readRecord('entry', text)))
    return {
      type: 'unread',
      line: number,
      entry:
        entry && 'read' in entry && batch.entryClass !== 'ADV' && batch.entryClass !== 'IAT'
          ? entry.read
          : null,
      ...unreadPart(`line ${number}`, `line ${number}: ${reason}`, raw, money),
    }
  }

  #refuse(what: string): never {
    throw new UnreadableFile(`line ${this.#line}: ${what}`)
  }
}

/** True if a file begins with a file header: record type 1 and priority code 01. */
export function startsLikeAch(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('utf8')
  return /^101[ 0-9A-Z]/.test(text.slice(countLeadingPadding(text)))
}
