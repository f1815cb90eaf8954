import { readAchLines } from './ach-lines.ts'
import { AchTotals, BLOCK_RECORDS, FILLER, type RecordKind, readRecord, type Values } from './ach-records.ts'
import { shown } from './decimal-amounts.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** What comes out of a NACHA file of a bank: returns, notifications of change, and entries that others sent to us. */

/** Addenda of one entry. More are in no class. */
const ADDENDA_MAX = 9_999

export interface AchEntry {
  readonly entryClass: string
  readonly companyName: string
  readonly companyId: string
  readonly description: string
  /** `YYMMDD`, or empty. */
  readonly effectiveDate: string
  readonly transactionCode: string
  readonly account: string
  /** In cents. */
  readonly amount: bigint
  readonly individualId: string
  readonly name: string
  readonly trace: string
}

export type AchRecord =
  | { readonly type: 'entry'; readonly entry: AchEntry; readonly text: string | null }
  | {
      readonly type: 'return'
      readonly entry: AchEntry
      /** `R01` … */
      readonly reason: string
      /** The 15 digits of the trace number that we sent. */
      readonly originalTrace: string
      readonly information: string | null
    }
  | {
      readonly type: 'change'
      readonly entry: AchEntry
      /** `C01` … */
      readonly reason: string
      readonly originalTrace: string
      /** What is right: an account number, a routing number, a name, by the reason. */
      readonly corrected: string
    }

/**
 * Reads a file in flat memory. Throws UnreadableFile where a record is malformed or out of place, or a control of a batch or of
 * the file is not what its records add up to; use it with `readTwice`.
 */
export async function* readAch(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<AchRecord> {
  const reading = new Reading()
  for await (const line of readAchLines(bytes)) {
    const record = reading.take(line)
    if (record) yield record
  }
  reading.end()
}

interface OpenEntry {
  readonly values: Values<'entry'>
  readonly addenda: string[]
}

class Reading {
  #line = 0
  #batch: Values<'batchHeader'> | undefined
  #entry: OpenEntry | undefined
  #ofBatch = new AchTotals()
  readonly #ofFile = new AchTotals()
  #batches = 0
  #control: Values<'fileControl'> | undefined

  /** Takes a line, and gives the entry that ended before it. */
  take(line: string): AchRecord | undefined {
    this.#line += 1
    if (this.#control) return this.#filler(line)
    if ((this.#line === 1) !== (line[0] === '1')) this.#refuse('has its header not in the first line')
    if (line[0] === '7') return this.#addenda(line)
    const ended = this.#endEntry()
    if (line[0] === '1') this.#values('fileHeader', line)
    else if (line[0] === '5') this.#beginBatch(line)
    else if (line[0] === '6') this.#beginEntry(line)
    else if (line[0] === '8') this.#endBatch(line)
    else if (line[0] === '9') this.#endFile(line)
    else this.#refuse(`begins with ${shown(line[0]!)}, which no record does`)
    return ended
  }

  end(): void {
    if (!this.#control) this.#refuse('ends before its control record')
    if (this.#line % BLOCK_RECORDS !== 0) this.#refuse(`has ${this.#line} lines, which are no blocks of ten`)
    this.#same('blocks', this.#control!.blocks, this.#line / BLOCK_RECORDS)
  }

  #filler(line: string): undefined {
    if (line !== FILLER) this.#refuse('goes on after its control record')
  }

  #beginBatch(line: string): void {
    if (this.#batch) this.#refuse('begins a batch inside another')
    this.#batch = this.#values('batchHeader', line)
    this.#ofBatch = new AchTotals()
  }

  #beginEntry(line: string): void {
    if (!this.#batch) this.#refuse('has an entry outside of a batch')
    this.#entry = { values: this.#values('entry', line), addenda: [] }
  }

  #addenda(line: string): undefined {
    if (!this.#entry) this.#refuse('has addenda without an entry')
    if (this.#entry!.addenda.length === ADDENDA_MAX) this.#refuse(`has more than ${ADDENDA_MAX} addenda`)
    this.#entry!.addenda.push(line)
  }

  #endEntry(): AchRecord | undefined {
    if (!this.#entry) return undefined
    const { values, addenda } = this.#entry
    this.#entry = undefined
    if ((values.addendaIndicator === '1') !== addenda.length > 0)
      this.#refuse('has an entry whose addenda are missing')
    this.#ofBatch.add(values.transactionCode, values.receivingBank, BigInt(values.amount), addenda.length)
    return this.#recordOf(entryOf(this.#batch!, values), addenda)
  }

  #recordOf(entry: AchEntry, addenda: readonly string[]): AchRecord {
    const [first] = addenda
    const type = first?.slice(1, 3)
    if (first && type === '99') {
      const { reason, originalTrace, information } = this.#values('returnAddenda', first)
      return { type: 'return', entry, reason, originalTrace, information: information || null }
    }
    if (first && type === '98') {
      const { reason, originalTrace, corrected } = this.#values('changeAddenda', first)
      return { type: 'change', entry, reason, originalTrace, corrected }
    }
    const texts = addenda
      .filter((one) => one.slice(1, 3) === '05')
      .map((one) => this.#values('addenda', one).text)
    return { type: 'entry', entry, text: texts.join('') || null }
  }

  #endBatch(line: string): void {
    const control = this.#values('batchControl', line)
    if (!this.#batch) this.#refuse('ends a batch that has not begun')
    this.#sums(control, this.#ofBatch)
    this.#same('batch number', control.batchNumber, Number(this.#batch!.batchNumber))
    if (control.companyId !== this.#batch!.companyId) this.#refuse('ends a batch of another company')
    this.#ofFile.addAll(this.#ofBatch)
    this.#batches += 1
    this.#batch = undefined
  }

  #endFile(line: string): void {
    if (this.#batch) this.#refuse('ends inside a batch')
    const control = this.#values('fileControl', line)
    this.#sums(control, this.#ofFile)
    this.#same('batches', control.batches, this.#batches)
    this.#control = control
  }

  #sums(control: Values<'batchControl'> | Values<'fileControl'>, totals: AchTotals): void {
    this.#same('entries', control.entries, totals.entries)
    this.#same('entry hash', control.hash, totals.hash)
    this.#same('debits', control.debits, totals.debits)
    this.#same('credits', control.credits, totals.credits)
  }

  #same(what: string, written: string, counted: number | bigint): void {
    if (BigInt(written) !== BigInt(counted))
      this.#refuse(`says that its ${what} are ${BigInt(written)}, and they are ${counted}`)
  }

  #values<Kind extends RecordKind>(kind: Kind, line: string): Values<Kind> {
    const { values, bad } = readRecord(kind, line)
    if (bad) this.#refuse(`has no number as its ${bad}`)
    return values
  }

  #refuse(what: string): never {
    throw new UnreadableFile(`line ${this.#line}: ${what}`)
  }
}

function entryOf(batch: Values<'batchHeader'>, values: Values<'entry'>): AchEntry {
  // The number of addenda stands before the name.
  const name = batch.entryClass === 'CTX' ? values.name.slice(4, 20).trimEnd() : values.name
  return {
    entryClass: batch.entryClass,
    companyName: batch.companyName,
    companyId: batch.companyId,
    description: batch.description,
    effectiveDate: batch.effectiveDate,
    transactionCode: values.transactionCode,
    account: values.account.trim(),
    amount: BigInt(values.amount),
    individualId: values.individualId.trim(),
    name,
    trace: values.trace,
  }
}
