import picocolors from 'picocolors'

/** Aligns all columns except the last. Returns `none` if there are no rows. */
export function formatTable(rows: readonly (readonly string[])[], none: string): string {
  const [first] = rows
  if (!first) return `${none}\n`
  const widths = first.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('')
}

/**
 * Formats records: on a terminal as a table with headers, otherwise as tab-separated lines without headers.
 * Untrusted text cannot control the terminal: see `toPlainText`.
 */
export function formatRecords(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  isTerminal: boolean,
): string {
  const plainRows = rows.map((row) => row.map(toPlainText))
  if (!isTerminal) return plainRows.map((row) => `${row.join('\t')}\n`).join('')
  const [head = '', ...lines] = formatTable([headers, ...plainRows], '').split('\n')
  // Column widths are measured on plain text, so color is added last.
  return [picocolors.bold(head), ...lines].join('\n')
}

/** Puts text on one line and removes control characters and characters that change the text direction. */
export function toPlainText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
}

/** Joins blocks of lines, with an empty line between two blocks. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string[] {
  return blocks.flatMap((lines, index) => (index > 0 ? ['', ...lines] : lines))
}
