import { readBai2 } from './bai2-reader.ts'
import { readingWith } from './samples.testing.ts'

/** Generates BAI2 files as banks write them, for tests, with continuations, padding and any line breaks. */

export interface SampleBai2Transaction {
  readonly code: string
  /** In smallest units, unsigned. */
  readonly amount: bigint
  /** The funds type and its fields. */
  readonly funds?: readonly string[]
  readonly bank?: string
  readonly customer?: string
  /** The text as lines. */
  readonly texts?: readonly string[]
}

export interface SampleBai2Account {
  readonly account: string
  readonly currency?: string
  readonly summaries?: readonly (readonly [code: string, amount: bigint, ...funds: string[]])[]
  readonly transactions?: readonly SampleBai2Transaction[]
}

export interface SampleBai2Group {
  readonly status?: string
  /** `YYMMDD`. */
  readonly date?: string
  readonly time?: string
  readonly currency?: string
  readonly modifier?: string
  readonly accounts: readonly SampleBai2Account[]
}

interface SampleBai2Layout {
  readonly fileId?: string
  /** The maximum number of fields in a physical record. Further fields go into continuations. */
  readonly fieldsMax?: number
  /** True if the text begins in a continuation. */
  readonly isTextBelow?: boolean
  /** Pads records to the length of the longest one, and states that length in the header. */
  readonly isPadded?: boolean
  /** Empty: padded records without line breaks. */
  readonly lineEnd?: '\n' | '\r\n' | ''
}

const HEADER_FIELDS = 8

/** Generates a whole file, with correct totals and counts. */
export function bai2File(groups: readonly SampleBai2Group[], layout: SampleBai2Layout = {}): string {
  const { fileId = '1', isPadded = false, lineEnd = '\n' } = layout
  const file = new Section()
  for (const group of groups) file.addSection(buildGroup(group, layout), true)
  const header = ['021000021', 'ACMEINC', '261126', '0700', fileId]
  const lines = (width: string) => [
    ...buildRecord('01', [...header, width, '', '2'], [], { fieldsMax: HEADER_FIELDS }),
    ...file.lines,
  ]
  const trailer = (count: number) => `99,${file.total},${file.parts},${count}/`
  const bare = [...lines(''), trailer(lines('').length + 1)]
  if (!isPadded && lineEnd !== '') return bare.map((line) => `${line}${lineEnd}`).join('')
  const width = Math.max(80, ...bare.map(({ length }) => length))
  return [...lines(String(width)), trailer(bare.length)]
    .map((line) => `${line.padEnd(width)}${lineEnd}`)
    .join('')
}

class Section {
  lines: string[] = []
  total = 0n
  parts = 0

  addSection(other: Section, isPart: boolean): void {
    this.lines.push(...other.lines)
    this.total += other.total
    if (isPart) this.parts += 1
  }
}

function buildGroup(
  {
    status = '1',
    date = '261125',
    time = '2400',
    currency = 'USD',
    modifier = '2',
    accounts,
  }: SampleBai2Group,
  layout: SampleBai2Layout,
): Section {
  const section = new Section()
  section.lines = buildRecord(
    '02',
    ['ACMEINC', '021000021', status, date, time, currency, modifier],
    [],
    layout,
  )
  for (const account of accounts) section.addSection(buildAccount(account, layout), true)
  section.lines.push(`98,${section.total},${section.parts},${section.lines.length + 1}/`)
  return section
}

function buildAccount(
  { account, currency = '', summaries = [], transactions = [] }: SampleBai2Account,
  layout: SampleBai2Layout,
): Section {
  const section = new Section()
  const amounts = summaries.flatMap(([code, amount, ...funds]) => [
    code,
    String(amount),
    '',
    ...(funds.length > 0 ? funds : ['']),
  ])
  section.lines = buildRecord('03', [account, currency, ...amounts], [], layout)
  section.total = [
    ...summaries.map(([, amount]) => amount),
    ...transactions.map(({ amount }) => amount),
  ].reduce((sum, amount) => sum + amount, 0n)
  for (const { code, amount, funds = ['Z'], bank = '', customer = '', texts = [] } of transactions)
    section.lines.push(...buildRecord('16', [code, String(amount), ...funds, bank, customer], texts, layout))
  section.lines.push(`49,${section.total},${section.lines.length + 1}/`)
  return section
}

/** Builds the physical records of a record. Avoids a continuation with only one field. */
function buildRecord(
  code: string,
  fields: readonly string[],
  texts: readonly string[],
  { fieldsMax = 1_000, isTextBelow = false }: SampleBai2Layout,
): string[] {
  const pieces: string[] = []
  for (let at = 0; at < fields.length; ) {
    let end = at + Math.max(fieldsMax, 2)
    if (fields.length - end === 1) end += 1
    pieces.push(fields.slice(at, end).join(','))
    at = end
  }
  const [first, ...others] = texts
  if (first !== undefined && isTextBelow) pieces.push(first)
  else if (first !== undefined) pieces.push(`${pieces.pop()},${first}`)
  return [...pieces, ...others].map((piece, index) => `${index === 0 ? code : '88'},${piece}/`)
}

export const { read, refusal } = readingWith(readBai2)
