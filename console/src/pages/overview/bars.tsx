import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { CHART_PIXELS } from './chart-size.ts'
import { type Bar as BarData, STACK } from './statistics.ts'

const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const LONG_DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })
const SHORT_FIGURES = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const AXIS = { stroke: 'var(--line)', tick: { fill: 'var(--soft)', fontSize: 12 }, tickLine: false } as const

/** Bars by day, stacked by what became of the payments. Whoever does not see them hears the sum of the days. */
export function Bars({ title, bars }: { readonly title: string; readonly bars: readonly BarData[] }) {
  const rows = bars.map(({ start, values, words }) => ({ start, words, ...values }))
  return (
    <div role="img" aria-label={`${title}. ${summaryOf(bars)}`}>
      <ResponsiveContainer width="100%" height={CHART_PIXELS}>
        <BarChart data={rows} margin={{ top: 8, right: 4, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="start"
            tickFormatter={(start: number) => DAY.format(start)}
            minTickGap={24}
            {...AXIS}
          />
          <YAxis
            width={44}
            allowDecimals={false}
            tickFormatter={(value: number) => SHORT_FIGURES.format(value)}
            {...AXIS}
            axisLine={false}
          />
          <Tooltip
            cursor={{ fill: 'var(--raised)' }}
            isAnimationActive={false}
            content={({ payload }) => <Hint row={payload[0]?.payload as Row | undefined} />}
          />
          {STACK.map((meaning) => (
            <Bar
              key={meaning}
              dataKey={meaning}
              stackId="day"
              fill={`var(--${meaning}-fill)`}
              isAnimationActive={false}
              maxBarSize={28}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}

type Row = Pick<BarData, 'start' | 'words'>

function Hint({ row }: { readonly row: Row | undefined }) {
  if (!row) return null
  return (
    <div className="hint">
      <strong>{LONG_DAY.format(row.start)}</strong>
      {row.words.length === 0 && <span className="soft">Nothing</span>}
      {row.words.map((line) => (
        <span key={line} className="figures">
          {line}
        </span>
      ))}
    </div>
  )
}

function summaryOf(bars: readonly BarData[]): string {
  const days = bars.filter(({ words }) => words.length > 0)
  return days.length === 0
    ? 'Nothing.'
    : days.map(({ start, words }) => `${DAY.format(start)}: ${words.join(', ')}`).join('; ')
}
