/** The records of a NACHA file: 94 characters each, in fixed-width fields. */

export const RECORD_CHARACTERS = 94
/** Lines of nines pad a file to a multiple of this number of records. */
export const BLOCK_RECORDS = 10
export const FILLER = '9'.repeat(RECORD_CHARACTERS)

/** `number` is padded with zeros on the left, and `text` with spaces on the right. */
type Field = readonly [name: string, width: number, kind: 'number' | 'text']

/** The fields of each record, after the first character, which is the record type. */
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
      // In CTX entries: the number of addenda (4 characters), a name (16) and two reserved characters.
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
  /** R61, R67 to R70: the bank that sent an entry rejects its return. */
  dishonoredAddenda: {
    code: '7',
    fields: [
      ['type', 2, 'number'],
      ['reason', 3, 'text'],
      ['originalTrace', 15, 'number'],
      ['reserved', 6, 'text'],
      ['originalReceivingBank', 8, 'text'],
      ['reservedToo', 3, 'text'],
      ['returnTrace', 15, 'number'],
      ['returnSettlementDate', 3, 'text'],
      ['returnReason', 2, 'text'],
      ['information', 21, 'text'],
      ['trace', 15, 'number'],
    ],
  },
  /**
   * R71 to R77: the bank that returned an entry contests the rejection of its return, or corrects the return.
   */
  contestedAddenda: {
    code: '7',
    fields: [
      ['type', 2, 'number'],
      ['reason', 3, 'text'],
      ['originalTrace', 15, 'number'],
      ['dateReturned', 6, 'text'],
      ['originalReceivingBank', 8, 'text'],
      ['originalSettlementDate', 3, 'text'],
      ['returnTrace', 15, 'number'],
      ['returnSettlementDate', 3, 'text'],
      ['returnReason', 2, 'text'],
      ['dishonoredTrace', 15, 'number'],
      ['dishonoredSettlementDate', 3, 'text'],
      ['dishonoredReason', 2, 'text'],
      ['reserved', 1, 'text'],
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
  /** Accounting advice (ADV) entries, batches and files have amounts of different widths. */
  advEntry: {
    code: '6',
    fields: [
      ['transactionCode', 2, 'number'],
      ['receivingBank', 8, 'number'],
      ['checkDigit', 1, 'number'],
      ['account', 15, 'text'],
      ['amount', 12, 'number'],
      ['rest', 55, 'text'],
    ],
  },
  advBatchControl: {
    code: '8',
    fields: [
      ['serviceClass', 3, 'number'],
      ['entries', 6, 'number'],
      ['hash', 10, 'number'],
      ['debits', 20, 'number'],
      ['credits', 20, 'number'],
      ['rest', 34, 'text'],
    ],
  },
  advFileControl: {
    code: '9',
    fields: [
      ['batches', 6, 'number'],
      ['blocks', 6, 'number'],
      ['entries', 8, 'number'],
      ['hash', 10, 'number'],
      ['debits', 20, 'number'],
      ['credits', 20, 'number'],
      ['reserved', 23, 'text'],
    ],
  },
} as const satisfies Record<string, { readonly code: string; readonly fields: readonly Field[] }>

export type RecordKind = keyof typeof RECORDS
type FieldOf<Kind extends RecordKind> = (typeof RECORDS)[Kind]['fields'][number][0]

/** A record's values by field name, without trailing spaces. */
export type Values<Kind extends RecordKind> = Readonly<Record<FieldOf<Kind>, string>>

/** Writes a record. Missing fields become zeros or spaces. Throws if a value does not fit. */
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
      throw new RangeError(`${JSON.stringify(value)} does not fit the field ${name} of ${width} characters`)
    line += type === 'number' ? value.padStart(width, '0') : value.padEnd(width)
  }
  return line
}

/** Reads a record of a known type. Use `readNumber` for its numbers, which may be empty. */
export function readRecord<Kind extends RecordKind>(kind: Kind, line: string): Values<Kind> {
  const values: Record<string, string> = {}
  let at = 1
  for (const [name, width] of RECORDS[kind].fields) {
    values[name] = line.slice(at, at + width).trimEnd()
    at += width
  }
  return values as Values<Kind>
}

/**
 * Parses a numeric field. Some banks pad it with spaces instead of zeros. Undefined if it is not a number.
 */
export function readNumber(field: string): bigint | undefined {
  const digits = field.trim()
  return /^\d+$/.test(digits) ? BigInt(digits) : undefined
}

/** True if an entry with this transaction code pays the receiver, false if it debits the receiver. */
export function isCredit(transactionCode: string): boolean {
  const second = Number(transactionCode[1])
  // The codes of accounting advices (81 to 88) alternate between the two.
  return transactionCode.startsWith('8') ? second % 2 === 1 : second < 5
}
