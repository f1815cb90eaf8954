import type { Column } from './column.ts'

/** Characters at the beginning of a text that a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/

/** One field of a file. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) && !/^-?\d[\d.,]*$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Saves the rows that are shown, in the columns that are shown. */
export function saveCsv<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const lines = [
    columns.map(({ header }) => csvField(header)),
    ...rows.map((row) => columns.map(({ text }) => csvField(text(row)))),
  ]
  const blob = new Blob([`${lines.map((line) => line.join(',')).join('\r\n')}\r\n`], { type: 'text/csv' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = `${name.toLowerCase().replaceAll(' ', '-')}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
}
