import { ofAllTables, rowsWritten, type Written } from './log.ts'
import type { Part } from './part.ts'
import { median, table, whole } from './table.ts'

/** A figure of a part: its name, its value, and how it is written. NaN where a part has none. */
export interface PartFigure {
  readonly name: string
  of(part: Part): number
  show(value: number): string
}

const us = (value: number) => `${whole(value)} µs`
const ms = (value: number) => `${value.toFixed(1)} ms`
const decimals = (value: number) => value.toFixed(2)
const inLog = (what: keyof Written) => (part: Part) => (part.log ? ofAllTables(part.log, what) : Number.NaN)

export const SETTLED_RATE: PartFigure = {
  name: 'settled per second',
  of: (part) => part.settledPerSecond,
  show: whole,
}

/** Of the requests: rates, times, and the processor time until the last answer. */
export const REQUEST_FIGURES: readonly PartFigure[] = [
  { name: 'answered per second', of: (part) => part.perSecond, show: whole },
  SETTLED_RATE,
  { name: 'p50', of: (part) => part.p50, show: ms },
  { name: 'p99', of: (part) => part.p99, show: ms },
  {
    name: 'settled by the last answer',
    of: (part) => part.settledMeanwhile ?? Number.NaN,
    show: (share) => `${Math.round(share * 100)} %`,
  },
  { name: 'main thread, until the last answer', of: (part) => part.answered.mainUs, show: us },
  { name: 'other threads', of: (part) => part.answered.othersUs, show: us },
]

/** Of a payment from its request until it has settled. */
export const CPU_FIGURES: readonly PartFigure[] = [
  { name: 'main thread, until settled', of: (part) => part.settled.mainUs, show: us },
  { name: 'other threads', of: (part) => part.settled.othersUs, show: us },
]

/** On PostgreSQL. */
export const POSTGRES_FIGURES: readonly PartFigure[] = [
  { name: 'PostgreSQL, until the last answer', of: (part) => part.answered.postgresUs, show: us },
  { name: 'PostgreSQL, until settled', of: (part) => part.settled.postgresUs, show: us },
]

/** Of a payment: that which begins it, and that which settles it. */
const WRITE_SETS = 2

/** Of the log, until settled. */
export const LOG_FIGURES: readonly PartFigure[] = [
  {
    name: 'rows written',
    of: ({ log }) => (log ? rowsWritten(log) : Number.NaN),
    show: decimals,
  },
  { name: '  inserted', of: inLog('inserted'), show: decimals },
  { name: '  updated', of: inLog('updated'), show: decimals },
  { name: '    of which HOT', of: inLog('hot'), show: decimals },
  { name: '  deleted', of: inLog('deleted'), show: decimals },
  { name: '  locked', of: inLog('locked'), show: decimals },
  { name: 'index entries', of: inLog('indexEntries'), show: decimals },
  { name: 'commits', of: ({ log }) => log?.commits ?? Number.NaN, show: decimals },
  {
    name: 'write sets per commit',
    of: ({ log }) => WRITE_SETS / (log?.commits ?? Number.NaN),
    show: decimals,
  },
  { name: 'WAL records', of: ({ log }) => log?.records ?? Number.NaN, show: decimals },
  { name: 'WAL bytes', of: ({ log }) => log?.bytes ?? Number.NaN, show: whole },
  { name: 'WAL bytes of full pages, apart', of: ({ log }) => log?.fullPageBytes ?? Number.NaN, show: whole },
]

/** What the figures of the log are, for the foot of a table. */
export const LOG_NOTE = `Read off the log by pg_waldump, of the server's database alone. WAL bytes are those of records; pages written in full, which
come after a checkpoint, are apart, and no checkpoint falls into a part. Index entries include those of leaves that were split.`

/** A line per figure, a column per part: the medians over its rounds. */
export function figureRows(
  figures: readonly PartFigure[],
  columns: readonly (readonly Part[])[],
): string[][] {
  return figures.map(({ name, of, show }) => [name, ...columns.map((parts) => show(median(parts.map(of))))])
}

/** What a payment writes to each table, in the medians of the rounds; a table with less than a hundredth of a row is left out. */
export function tablesOf(parts: readonly Part[]): string {
  const names = [...new Set(parts.flatMap(({ log }) => Object.keys(log?.tables ?? {})))].sort()
  const of = (name: string, what: keyof Written) =>
    median(parts.map(({ log }) => log?.tables[name]?.[what] ?? 0))
  const columns = ['inserted', 'updated', 'hot', 'deleted', 'locked', 'indexEntries'] as const
  const rows = names.map((name) => [
    name,
    ...columns.map((what) => decimals(of(name, what))),
    whole(of(name, 'bytes')),
  ])
  return table([
    ['', 'inserted', 'updated', 'of which HOT', 'deleted', 'locked', 'index entries', 'WAL bytes'],
    ...rows.filter(([, ...cells]) => cells.some((cell) => Number(cell.replaceAll(',', '')) >= 0.01)),
  ])
}
