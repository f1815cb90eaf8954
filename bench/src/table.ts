/** The median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The quantile `share` of the values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** `1/5.2` for a ratio below one, `1.30` for one above. */
export function ratio(value: number, of: number): string {
  return value >= of ? (value / of).toFixed(2) : `1/${(of / value).toFixed(1)}`
}

/** Lines of a table: the first column is left-aligned, the others right-aligned. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, column) => Math.max(most[column] ?? 0, cell.length)),
    [],
  )
  return rows
    .map((row) =>
      row.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]! + 3),
      ),
    )
    .map((cells) => `  ${cells.join('').trimEnd()}\n`)
    .join('')
}
