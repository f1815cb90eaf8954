import picocolors from 'picocolors'

/** Columns of a fixed width, except the last; or `none` without rows. */
export function tableOf(rows: readonly (readonly string[])[], none: string): string {
  const [first] = rows
  if (!first) return `${none}\n`
  const widths = first.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('')
}

/**
 * Records as lines: on a terminal a table below its headers, for a program one line each, with tabs and without headers.
 * Text of others cannot steer the terminal: see `toPlainText`.
 */
export function recordTable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  isTerminal: boolean,
): string {
  const shown = rows.map((row) => row.map(toPlainText))
  if (!isTerminal) return shown.map((row) => `${row.join('\t')}\n`).join('')
  const [head = '', ...lines] = tableOf([headers, ...shown], '').split('\n')
  // Widths are measured without color, so color is added last.
  return [picocolors.bold(head), ...lines].join('\n')
}

/** Text on one line, without characters that move the cursor, ring, color or change the direction of text. */
export function toPlainText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
}
