import type { TransactionStatistic } from '@countersign/contract/operation/overview'
import type { Static } from 'typebox'
import { figures } from '../../ui/money-format.ts'
import { type Meaning, meaningOf } from '../../ui/status-meaning.ts'

export type Statistic = Static<typeof TransactionStatistic>

/** One bar: a day, and the value of each outcome. */
export interface Bar {
  /** The start of the day in the viewer's time zone, in milliseconds. */
  readonly start: number
  readonly values: Readonly<Partial<Record<Meaning, number>>>
  /** The values in words. */
  readonly words: readonly string[]
}

const WORDS: Readonly<Record<Meaning, string>> = {
  done: 'completed',
  moving: 'in progress',
  waits: 'waiting',
  failed: 'failed',
  ended: 'ended without payment',
}

/** The order in which the parts of a bar are stacked, from the bottom. */
export const STACK = ['done', 'moving', 'waits', 'ended', 'failed'] as const satisfies readonly Meaning[]

/** The last `days` days, including the day of `now`, as the start of each day in the viewer's time zone. */
export function daysUntil(now: Date, days: number): number[] {
  return Array.from({ length: days }, (_, at) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1 - at)).getTime(),
  )
}

/** Payment counts per day and outcome. */
export function countsOf(statistics: readonly Statistic[], days: readonly number[]): Bar[] {
  return barsOf(statistics, days, ({ count }) => BigInt(count), 0)
}

/** The amount of one currency that moved on each day, outgoing and incoming together, in its main unit. */
export function volumeOf(statistics: readonly Statistic[], days: readonly number[], currency: string): Bar[] {
  const own = statistics.filter((one) => one.currency.code === currency)
  return barsOf(own, days, ({ amount }) => amount, own[0]?.currency.decimals ?? 0)
}

function barsOf(
  statistics: readonly Statistic[],
  days: readonly number[],
  take: (one: Statistic) => bigint,
  decimals: number,
): Bar[] {
  const sums = new Map<number, Map<Meaning, bigint>>()
  for (const one of statistics) {
    const day = sums.get(new Date(one.start).getTime()) ?? new Map<Meaning, bigint>()
    sums.set(new Date(one.start).getTime(), day)
    const meaning = meaningOf(one.status)
    day.set(meaning, (day.get(meaning) ?? 0n) + take(one))
  }
  return days.map((start) => {
    const day = sums.get(start) ?? new Map<Meaning, bigint>()
    return {
      start,
      values: Object.fromEntries([...day].map(([meaning, sum]) => [meaning, Number(sum) / 10 ** decimals])),
      words: STACK.flatMap((meaning) => {
        const sum = day.get(meaning)
        return sum === undefined ? [] : [`${figures({ amount: sum, decimals })} ${WORDS[meaning]}`]
      }),
    }
  })
}

/** The payments with one status, in the period shown and in the period of equal length before it. */
export interface Total {
  readonly status: Statistic['status']
  readonly count: number
  readonly before: number
}

/** The numbers of payments by status, highest first. `start` is the start of the period shown, in milliseconds. */
export function totalsOf(statistics: readonly Statistic[], start: number): Total[] {
  const totals = new Map<Statistic['status'], { count: number; before: number }>()
  for (const one of statistics) {
    const total = totals.get(one.status) ?? { count: 0, before: 0 }
    totals.set(one.status, total)
    if (Date.parse(one.start) >= start) total.count += one.count
    else total.before += one.count
  }
  return [...totals]
    .map(([status, total]) => ({ status, ...total }))
    .sort((a, b) => b.count - a.count || b.before - a.before)
}

/** A part of a whole in percent; undefined if the whole is 0. */
export function shareOf(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : (100 * part) / whole
}

/** The volume of a currency in the period shown and in the period before it, in its smallest unit. */
export function volumesOf(
  statistics: readonly Statistic[],
  start: number,
  currency: string,
): { readonly amount: bigint; readonly before: bigint } {
  let amount = 0n
  let before = 0n
  for (const one of statistics) {
    if (one.currency.code !== currency) continue
    if (Date.parse(one.start) >= start) amount += one.amount
    else before += one.amount
  }
  return { amount, before }
}

/** The currencies of the payments, most used first. */
export function currenciesOf(statistics: readonly Statistic[]): string[] {
  const counts = new Map<string, number>()
  for (const { currency, count } of statistics)
    counts.set(currency.code, (counts.get(currency.code) ?? 0) + count)
  return [...counts].sort(([, a], [, b]) => b - a).map(([code]) => code)
}
