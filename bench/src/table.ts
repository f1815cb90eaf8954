import { availableParallelism } from 'node:os'
import type { Figure } from './load.ts'
import type { Counts, TableCounts } from './write-counts.ts'

/** The median of the values. */
export function findMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[middle - 1], sorted[middle]]
  if (high === undefined) return Number.NaN
  return sorted.length % 2 === 1 || low === undefined ? high : (low + high) / 2
}

export function formatInteger(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** Formats a table: the first column is left-aligned, the others right-aligned. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  )
  return rows
    .map((row) =>
      row.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart((widths[column] ?? 0) + 3),
      ),
    )
    .map((cells) => `  ${cells.join('').trimEnd()}\n`)
    .join('')
}

/** A table row with one figure per round. */
export interface Row {
  readonly name: string
  readonly figures: readonly Partial<Figure>[]
}

const formatUs = (value: number) => `${formatInteger(value)} µs`
const formatMs = (value: number) => `${value.toFixed(1)} ms`

const COLUMNS = {
  perSecond: { title: 'per second', format: formatInteger },
  settledPerSecond: { title: 'settled/s', format: formatInteger },
  p50: { title: 'p50', format: formatMs },
  p99: { title: 'p99', format: formatMs },
  mainUs: { title: 'main thread', format: formatUs },
  othersUs: { title: 'other threads', format: formatUs },
  postgresUs: { title: 'PostgreSQL', format: formatUs },
} as const satisfies Record<keyof Figure, object>

/**
 * Prints a table of medians. The column "ratio" compares a row's settled rate with the settled rate of the
 * first row in the same round, because the machine's load differs from round to round.
 */
export function printTable(title: string, rows: readonly Row[]): void {
  const keys = (Object.keys(COLUMNS) as (keyof Figure)[]).filter((key) =>
    rows.some(({ figures }) => figures.some((figure) => (figure[key] ?? 0) > 0)),
  )
  const cells = ({ name, figures }: Row) => [
    name,
    ...keys.map((key) => {
      const values = figures.map((figure) => figure[key] ?? Number.NaN)
      return values.some(Number.isNaN) ? '' : COLUMNS[key].format(findMedian(values))
    }),
    findMedian(figures.map((figure, n) => formatRate(figure) / formatRate(rows[0]?.figures[n]))).toFixed(2),
  ]
  process.stdout.write(`
${title}
Medians; processor time is for each piece of work until it has settled. All of it shares ${availableParallelism()} cores.

${formatTable([['', ...keys.map((key) => COLUMNS[key].title), 'ratio'], ...rows.map(cells)])}`)
}

function formatRate(figure: Partial<Figure> | undefined): number {
  return figure?.settledPerSecond ?? figure?.perSecond ?? Number.NaN
}

/** Prints the writes of one kind of work, one line per table. */
export function printCounts(title: string, { total, tables }: Counts): void {
  const cells = (name: string, { inserts, updates, deletes, indexEntries, logBytes }: TableCounts) => [
    name,
    ...[inserts, updates, deletes, indexEntries].map((count) => count.toFixed(1)),
    formatInteger(logBytes),
  ]
  process.stdout.write(`
One ${title}: ${total.statements} statements, ${total.commits} commits.

${formatTable([
  ['', 'inserts', 'updates', 'deletes', 'index entries', 'log, bytes'],
  ...Object.entries(tables).map(([name, counts]) => cells(name, counts)),
  cells('total', total),
])}`)
}
