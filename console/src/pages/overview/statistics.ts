import type { TransactionStatistic } from '@countersign/contract/operation/overview'
import type { Static } from 'typebox'
import { formatFigures } from '../../ui/money-format.ts'
import { getMeaning, type Meaning } from '../../ui/status-meaning.ts'

export type Statistic = Static<typeof TransactionStatistic>

/** A chart's bar: a day and the value of each outcome. */
export interface Bar {
  /** When the day starts in the viewer's time zone, in milliseconds. */
  readonly start: number
  readonly values: Readonly<Partial<Record<Meaning, number>>>
  /** The values as text. */
  readonly descriptions: readonly string[]
}

const WORDS: Readonly<Record<Meaning, string>> = {
  done: 'completed',
  moving: 'in progress',
  waits: 'waiting',
  failed: 'failed',
  ended: 'ended without payment',
}

/** The stacking order of a bar's parts, from the bottom. */
export const STACK = ['done', 'moving', 'waits', 'ended', 'failed'] as const satisfies readonly Meaning[]

/**
 * Returns the start of each of the last `days` days in the viewer's time zone, including the day of `now`.
 */
export function listDays(now: Date, days: number): number[] {
  return Array.from({ length: days }, (_, at) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1 - at)).getTime(),
  )
}

/** Counts payments by day and outcome. */
export function countByDay(statistics: readonly Statistic[], days: readonly number[]): Bar[] {
  return buildBars(statistics, days, ({ count }) => BigInt(count), 0)
}

/** Sums the incoming and outgoing volume of one currency by day, in its main unit. */
export function sumVolumeByDay(
  statistics: readonly Statistic[],
  days: readonly number[],
  currency: string,
): Bar[] {
  const inCurrency = statistics.filter((statistic) => statistic.currency.code === currency)
  return buildBars(inCurrency, days, ({ amount }) => amount, inCurrency[0]?.currency.decimals ?? 0)
}

function buildBars(
  statistics: readonly Statistic[],
  days: readonly number[],
  take: (statistic: Statistic) => bigint,
  decimals: number,
): Bar[] {
  const sums = new Map<number, Map<Meaning, bigint>>()
  for (const statistic of statistics) {
    const day = sums.get(new Date(statistic.start).getTime()) ?? new Map<Meaning, bigint>()
    sums.set(new Date(statistic.start).getTime(), day)
    const meaning = getMeaning(statistic.status)
    day.set(meaning, (day.get(meaning) ?? 0n) + take(statistic))
  }
  return days.map((start) => {
    const day = sums.get(start) ?? new Map<Meaning, bigint>()
    return {
      start,
      values: Object.fromEntries([...day].map(([meaning, sum]) => [meaning, Number(sum) / 10 ** decimals])),
      descriptions: STACK.flatMap((meaning) => {
        const sum = day.get(meaning)
        return sum === undefined ? [] : [`${formatFigures({ amount: sum, decimals })} ${WORDS[meaning]}`]
      }),
    }
  })
}

/**
 * The number of payments with one status, in the displayed period and in the previous one of the same length.
 */
export interface Total {
  readonly status: Statistic['status']
  readonly count: number
  readonly before: number
}

/**
 * Counts payments by status, highest count first. `start` is the start of the displayed period, in
 * milliseconds.
 */
export function countByStatus(statistics: readonly Statistic[], start: number): Total[] {
  const totals = new Map<Statistic['status'], { count: number; before: number }>()
  for (const statistic of statistics) {
    const total = totals.get(statistic.status) ?? { count: 0, before: 0 }
    totals.set(statistic.status, total)
    if (Date.parse(statistic.start) >= start) total.count += statistic.count
    else total.before += statistic.count
  }
  return [...totals]
    .map(([status, total]) => ({ status, ...total }))
    .sort((a, b) => b.count - a.count || b.before - a.before)
}

/** Returns a part as a percentage of the whole. Undefined if the whole is 0. */
export function getPercentage(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : (100 * part) / whole
}

/** Sums a currency's volume in the displayed period and in the previous one, in the smallest unit. */
export function sumVolumes(
  statistics: readonly Statistic[],
  start: number,
  currency: string,
): { readonly amount: bigint; readonly before: bigint } {
  let amount = 0n
  let before = 0n
  for (const statistic of statistics) {
    if (statistic.currency.code !== currency) continue
    if (Date.parse(statistic.start) >= start) amount += statistic.amount
    else before += statistic.amount
  }
  return { amount, before }
}

/** Lists the currencies of the payments, most used first. */
export function listCurrencies(statistics: readonly Statistic[]): string[] {
  const counts = new Map<string, number>()
  for (const { currency, count } of statistics)
    counts.set(currency.code, (counts.get(currency.code) ?? 0) + count)
  return [...counts].sort(([, a], [, b]) => b - a).map(([code]) => code)
}
