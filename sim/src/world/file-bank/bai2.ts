import type { Entry, Sheet } from './messages.ts'

/**
 * Statements in BAI2, the format of US banks. Only the first detail of an entry is written, because the
 * format has no room for more.
 */

const TYPE_CODES: Readonly<Record<string, string>> = { RRTN: '257', CHRG: '698', IN: '165', OUT: '495' }
/** An invalid funds type, for entries that must be unreadable. */
const INVALID_FUNDS_TYPE = 'Q'

/** Formats statements as one file. `name` distinguishes files with the same content. */
export function formatBai2File(sheets: readonly Sheet[], name: string): string {
  const groups = sheets.map(formatGroup)
  const total = groups.reduce((sum, group) => sum + group.total, 0n)
  const lines = [`01,BANK,SIMULATED,260115,0500,${name},,,2/`, ...groups.flatMap((group) => group.lines)]
  return `${lines.join('\n')}\n99,${total},${groups.length},${lines.length + 1}/\n`
}

interface Lines {
  readonly lines: readonly string[]
  readonly total: bigint
}

function formatGroup(sheet: Sheet): Lines {
  const day = sheet.date.slice(2).replaceAll('-', '')
  const { lines, total } = formatAccount(sheet)
  return {
    lines: [
      `02,SIMULATED,BANK,1,${day},2400,${sheet.currency},2/`,
      ...lines,
      `98,${total},1,${lines.length + 2}/`,
    ],
    total,
  }
}

function formatAccount({ iban, opening, closing, entries }: Sheet): Lines {
  const balances = [
    ['010', opening],
    ['015', closing],
  ] as const
  const known = balances.flatMap(([code, amount]) => (amount === undefined ? [] : [`${code},${amount},,`]))
  const head = [`03,${[iban, '', ...known].join(',')}/`]
  const lines = [...head, ...entries.flatMap(formatTransaction)]
  const amounts = [opening ?? 0n, closing ?? 0n, ...entries.map(({ cents }) => (cents < 0n ? -cents : cents))]
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  return { lines: [...lines, `49,${total},${lines.length + 1}/`], total }
}

function formatTransaction(entry: Entry): string[] {
  const { cents, code, servicerReference = '', reference, batch, details, text, isUnreadable } = entry
  const [, , kind] = code
  const type = TYPE_CODES[kind] ?? TYPE_CODES[cents < 0n ? 'OUT' : 'IN']
  const [detail = {}] = details
  const fullText = [detail.text, detail.additional, text].filter(Boolean).join(' ')
  const customer = reference ?? batch ?? detail.structured ?? detail.endToEndId ?? ''
  const funds = isUnreadable ? INVALID_FUNDS_TYPE : 'Z'
  const head = `16,${type},${cents < 0n ? -cents : cents},${funds},${servicerReference},${customer}`
  // Many banks put the text in a continuation record (88).
  return fullText === '' ? [`${head}/`] : [`${head}/`, `88,${fullText}/`]
}
