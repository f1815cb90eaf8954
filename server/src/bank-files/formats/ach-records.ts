/** The records of a NACHA file: 94 characters each, in fields of fixed width. */

export const RECORD_CHARACTERS = 94
/** A file is filled with lines of nines up to a multiple of this. */
export const BLOCK_RECORDS = 10
export const FILLER = '9'.repeat(RECORD_CHARACTERS)

/** `number` is filled with zeros on the left, `text` with spaces on the right. */
type Field = readonly [name: string, width: number, kind: 'number' | 'text']

/** The fields of each record after its first character, which says what it is. */
export const RECORDS = {
  fileHeader: {
    code: '1',
    fields: [
      ['priority', 2, 'number'],
      ['destination', 10, 'text'],
      ['origin', 10, 'text'],
      ['date', 6, 'number'],
      ['time', 4, 'text'],
      ['modifier', 1, 'text'],
      ['recordSize', 3, 'number'],
      ['blockingFactor', 2, 'number'],
      ['format', 1, 'number'],
      ['destinationName', 23, 'text'],
      ['originName', 23, 'text'],
      ['reference', 8, 'text'],
    ],
  },
  batchHeader: {
    code: '5',
    fields: [
      ['serviceClass', 3, 'number'],
      ['companyName', 16, 'text'],
      ['companyData', 20, 'text'],
      ['companyId', 10, 'text'],
      ['entryClass', 3, 'text'],
      ['description', 10, 'text'],
      ['descriptiveDate', 6, 'text'],
      ['effectiveDate', 6, 'text'],
      ['settlementDate', 3, 'text'],
      ['originatorStatus', 1, 'text'],
      ['originatingBank', 8, 'number'],
      ['batchNumber', 7, 'number'],
    ],
  },
  entry: {
    code: '6',
    fields: [
      ['transactionCode', 2, 'number'],
      ['receivingBank', 8, 'number'],
      ['checkDigit', 1, 'number'],
      ['account', 17, 'text'],
      ['amount', 10, 'number'],
      ['individualId', 15, 'text'],
      // With CTX these are the number of addenda (4), a name of 16 and two reserved places.
      ['name', 22, 'text'],
      ['discretionary', 2, 'text'],
      ['addendaIndicator', 1, 'number'],
      ['trace', 15, 'number'],
    ],
  },
  addenda: {
    code: '7',
    fields: [
      ['type', 2, 'number'],
      ['text', 80, 'text'],
      ['sequence', 4, 'number'],
      ['entrySequence', 7, 'number'],
    ],
  },
  returnAddenda: {
    code: '7',
    fields: [
      ['type', 2, 'number'],
      ['reason', 3, 'text'],
      ['originalTrace', 15, 'number'],
      ['dateOfDeath', 6, 'text'],
      ['originalReceivingBank', 8, 'text'],
      ['information', 44, 'text'],
      ['trace', 15, 'number'],
    ],
  },
  changeAddenda: {
    code: '7',
    fields: [
      ['type', 2, 'number'],
      ['reason', 3, 'text'],
      ['originalTrace', 15, 'number'],
      ['reserved', 6, 'text'],
      ['originalReceivingBank', 8, 'text'],
      ['corrected', 29, 'text'],
      ['reservedToo', 15, 'text'],
      ['trace', 15, 'number'],
    ],
  },
  batchControl: {
    code: '8',
    fields: [
      ['serviceClass', 3, 'number'],
      ['entries', 6, 'number'],
      ['hash', 10, 'number'],
      ['debits', 12, 'number'],
      ['credits', 12, 'number'],
      ['companyId', 10, 'text'],
      ['authentication', 19, 'text'],
      ['reserved', 6, 'text'],
      ['originatingBank', 8, 'number'],
      ['batchNumber', 7, 'number'],
    ],
  },
  fileControl: {
    code: '9',
    fields: [
      ['batches', 6, 'number'],
      ['blocks', 6, 'number'],
      ['entries', 8, 'number'],
      ['hash', 10, 'number'],
      ['debits', 12, 'number'],
      ['credits', 12, 'number'],
      ['reserved', 39, 'text'],
    ],
  },
} as const satisfies Record<string, { readonly code: string; readonly fields: readonly Field[] }>

export type RecordKind = keyof typeof RECORDS
type FieldOf<Kind extends RecordKind> = (typeof RECORDS)[Kind]['fields'][number][0]

/** A record by the names of its fields. Numbers are digits, texts without spaces at the end. */
export type Values<Kind extends RecordKind> = Readonly<Record<FieldOf<Kind>, string>>

/** Writes a record. Fields that are not given are zeros or spaces. Throws where a value does not fit. */
export function writeRecord<Kind extends RecordKind>(
  kind: Kind,
  values: Partial<Record<FieldOf<Kind>, string | number | bigint>>,
): string {
  const { code, fields } = RECORDS[kind]
  let line: string = code
  for (const [name, width, type] of fields) {
    const value = String(values[name as FieldOf<Kind>] ?? '')
    const isFit = type === 'number' ? /^\d*$/.test(value) : /^[ -~]*$/.test(value)
    if (!isFit || value.length > width)
      throw new RangeError(`${JSON.stringify(value)} is no ${name} of ${width}`)
    line += type === 'number' ? value.padStart(width, '0') : value.padEnd(width)
  }
  return line
}

/** Reads a record, whose first character is known. Gives the name of the first field that is no number, if there is one. */
export function readRecord<Kind extends RecordKind>(
  kind: Kind,
  line: string,
): { readonly values: Values<Kind>; readonly bad: string | undefined } {
  const values: Record<string, string> = {}
  let bad: string | undefined
  let at = 1
  for (const [name, width, type] of RECORDS[kind].fields) {
    const value = line.slice(at, at + width)
    if (type === 'number' && !/^\d+$/.test(value)) bad ??= name
    values[name] = type === 'number' ? value : value.trimEnd()
    at += width
  }
  return { values: values as Values<Kind>, bad }
}

/** Whether an entry of this transaction code is money to the receiver; otherwise it is taken from the receiver. */
export function isCredit(transactionCode: string): boolean {
  return Number(transactionCode[1]) < 5
}

/** What controls sum up: of a batch, and of a file. */
export class AchTotals {
  entries = 0
  /** The sum of the receiving banks' numbers, without their check digits; its last ten digits are written. */
  #banks = 0n
  debits = 0n
  credits = 0n

  add(transactionCode: string, receivingBank: string, amount: bigint, addenda: number): void {
    this.entries += 1 + addenda
    this.#banks += BigInt(receivingBank)
    if (isCredit(transactionCode)) this.credits += amount
    else this.debits += amount
  }

  addAll(other: AchTotals): void {
    this.entries += other.entries
    this.#banks += other.#banks
    this.debits += other.debits
    this.credits += other.credits
  }

  get hash(): bigint {
    return this.#banks % 10_000_000_000n
  }
}
