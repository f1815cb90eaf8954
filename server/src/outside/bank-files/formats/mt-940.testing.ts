import { formatMtBalance, formatMtField, formatMtLine, type MtMark } from '../../../base/formats/mt-940.ts'
import { formatDecimalAmount } from './decimal-amounts.ts'
import { readMt940 } from './mt-940-reader.ts'
import { readingWith } from './samples.testing.ts'

/** Generates MT940 and MT942 files in the formats of several banks, for tests. */

export interface SampleMtEntry {
  /** In smallest units, unsigned. */
  readonly amount: bigint
  readonly mark?: MtMark
  /** `YYYY-MM-DD`. The value date defaults to the same day. */
  readonly bookedOn?: string | null
  readonly valueOn?: string
  readonly type?: string
  readonly owner?: string
  readonly bank?: string
  readonly details?: readonly string[]
  readonly gvc?: string
  readonly endToEndId?: string
  readonly customerReference?: string
  readonly name?: string
  readonly account?: string
  readonly text?: string
}

export interface SampleMtMessage {
  /** `942` is an interim report. */
  readonly message?: '940' | '942'
  readonly account: string
  readonly number?: string
  readonly currency?: string
  readonly openedOn?: string
  readonly closedOn?: string
  readonly opening?: bigint
  /** Defaults to the balance that follows from the entries. */
  readonly closing?: bigint
  /** True for a page preceded or followed by others. */
  readonly isContinued?: boolean
  readonly continues?: boolean
  readonly entries?: readonly SampleMtEntry[]
}

/** The format of field 86. */
type SampleInformation = 'GERMAN' | 'CODE_WORDS' | 'PLAIN'

export interface SampleMtLayout {
  readonly information?: SampleInformation
  readonly lineEnd?: '\n' | '\r\n' | '\r'
  readonly envelope?: 'BLOCKS' | 'HEADER_LINES' | 'TAG' | 'BARE'
  /** The maximum length of a line in field 86. */
  readonly lineCharactersMax?: number
}

const DAY = '2026-11-25'
const ACCOUNT_LINE_CHARACTERS = 65
const PIECE_CHARACTERS = 27

export const isOut = ({ mark = 'C' }: Pick<SampleMtEntry, 'mark'>) => ['D', 'RC', 'ED'].includes(mark)
export const signed = (entry: SampleMtEntry) => (isOut(entry) ? -entry.amount : entry.amount)
const sumEntries = (entries: readonly SampleMtEntry[]) => entries.reduce((sum, one) => sum + signed(one), 0n)

/** Generates a whole file. Balances and totals are correct, unless a closing balance is given. */
export function mt940File(messages: readonly SampleMtMessage[], layout: SampleMtLayout = {}): string {
  const { envelope = 'BARE', lineEnd = '\r\n' } = layout
  const text = messages
    .map((message) => wrapMessage(writeMessage(message, layout), message, envelope))
    .join('')
  return text.replaceAll('\r\n', lineEnd)
}

function wrapMessage(text: string, { message = '940' }: SampleMtMessage, envelope: string): string {
  if (envelope === 'BLOCKS')
    return `{1:F01COBADEFFAXXX0000000000}{2:O${message}0000000000COBADEFFAXXX00000000000000000000N}{3:{108:1}}{4:\r\n${text}-}{5:{CHK:000000000000}}\r\n`
  if (envelope === 'HEADER_LINES') return `COBADEFF\r\n${message}\r\nCOBADEFF\r\n${text}-\r\n`
  return envelope === 'TAG' ? `:${message}:\r\n${text}` : `${text}-\r\n`
}

function writeMessage(sample: SampleMtMessage, layout: SampleMtLayout): string {
  const { message = '940', account, number = '00001/001', currency = 'EUR', entries = [] } = sample
  const { openedOn = DAY, closedOn = DAY, opening = 0n, closing = opening + sumEntries(entries) } = sample
  const head = formatMtField('20', 'STARTUMS') + formatMtField('25', account) + formatMtField('28C', number)
  const lines = entries.map((entry) => writeEntry(entry, currency, layout)).join('')
  if (message === '942') {
    const total = (side: 'C' | 'D') => {
      const sideEntries = entries.filter((entry) => (side === 'D') === isOut(entry))
      const sum = sideEntries.reduce((total, { amount }) => total + amount, 0n)
      return formatMtField(
        `90${side}`,
        `${sideEntries.length}${currency}${formatDecimalAmount(sum, currency).replace('.', ',')}`,
      )
    }
    return `${head}${formatMtField('34F', `${currency}0,`)}${formatMtField('13D', '2611251200+0100')}${lines}${total('D')}${total('C')}`
  }
  const balance = (date: string, amount: bigint) =>
    formatMtBalance({
      ...{ isDebit: amount < 0n, date, currency },
      figure: formatDecimalAmount(amount < 0n ? -amount : amount, currency),
    })
  const first = formatMtField(sample.continues ? '60M' : '60F', balance(openedOn, opening))
  const last = formatMtField(sample.isContinued ? '62M' : '62F', balance(closedOn, closing))
  return head + first + lines + last + formatMtField('64', balance(closedOn, closing))
}

function writeEntry(entry: SampleMtEntry, currency: string, layout: SampleMtLayout): string {
  const { amount, mark = 'C', bookedOn = DAY, valueOn = bookedOn ?? DAY, type = 'NTRF' } = entry
  const { owner = 'NONREF', bank = null, details = [] } = entry
  const figure = formatDecimalAmount(amount, currency)
  const head = formatMtField(
    '61',
    formatMtLine({ valueOn, bookedOn, mark, figure, type, owner, bank, details }),
  )
  const { information = 'GERMAN', lineCharactersMax = ACCOUNT_LINE_CHARACTERS } = layout
  const text = INFORMATION[information](entry)
  return text === '' ? head : head + formatMtField('86', cut(text, lineCharactersMax).join('\r\n'))
}

const INFORMATION: Record<SampleInformation, (entry: SampleMtEntry) => string> = {
  GERMAN: ({ gvc = '166', endToEndId, customerReference, name = '', account, text }) => {
    const parts = [
      ...(endToEndId ? [`EREF+${endToEndId}`] : []),
      ...(customerReference ? [`KREF+${customerReference}`] : []),
      ...(text === undefined ? [] : [`SVWZ+${text}`]),
    ].flatMap((part) => cut(part, PIECE_CHARACTERS))
    const purposes = parts.map((part, index) => `?${index < 10 ? 20 + index : 50 + index}${part}`)
    const names = cut(name, PIECE_CHARACTERS).map((part, index) => `?${32 + index}${part}`)
    const accountCodes = account === undefined ? '' : `?30COBADEFFXXX?31${account}`
    return `${gvc}?00GUTSCHRIFT?109310${purposes.join('')}${accountCodes}${names.join('')}?34000`
  },
  CODE_WORDS: ({ endToEndId, customerReference, name, account, text }) =>
    [
      endToEndId && `/EREF/${endToEndId}/`,
      customerReference && `/PREF/${customerReference}/`,
      (name || account) && `/CNTP/${account ?? ''}/COBADEFFXXX/${name ?? ''}//`,
      text && `/REMI/USTD//${text}/`,
    ]
      .filter(Boolean)
      .join(''),
  PLAIN: ({ text = '' }) => text,
}

function cut(text: string, charactersMax: number): string[] {
  return text.match(new RegExp(`.{1,${charactersMax}}`, 'gs')) ?? []
}

export const { read, refusal } = readingWith(readMt940)
