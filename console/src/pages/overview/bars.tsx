import { useState } from 'react'
import { type Bar, STACK } from './statistics.ts'
import { ticksOf } from './ticks.ts'

const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const LONG_DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })
const SHORT_FIGURES = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
/** The number of names that fit below a chart on a phone. */
const NAMED_DAYS = 5

/** Bars by day, stacked by the outcome of the payments. Screen readers read the sums of the days. */
export function Bars({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) {
  const [pointedAt, setPointedAt] = useState<number>()
  const ticks = ticksOf(Math.max(...bars.map(heightOf)))
  const top = ticks.at(-1) ?? 1
  return (
    <div
      className="chart"
      role="img"
      aria-label={`${title}. ${summaryOf(bars)}`}
      onPointerLeave={() => setPointedAt(undefined)}
    >
      <div className="plot">
        {ticks.map((tick) => (
          <div key={tick} className="tick figures" style={{ bottom: percentOf(tick, top) }}>
            <span>{SHORT_FIGURES.format(tick)}</span>
          </div>
        ))}
        {bars.map((bar, at) => (
          <div key={bar.start} className="day" onPointerEnter={() => setPointedAt(at)}>
            {STACK.map((meaning) => (
              <span
                key={meaning}
                style={{
                  height: percentOf(bar.values[meaning] ?? 0, top),
                  background: `var(--${meaning}-fill)`,
                }}
              />
            ))}
          </div>
        ))}
      </div>
      <DayNames bars={bars} />
      {pointedAt !== undefined && <Hint bar={bars[pointedAt]} isLeft={pointedAt >= bars.length / 2} />}
    </div>
  )
}

function heightOf({ values }: Bar): number {
  return STACK.reduce((sum, meaning) => sum + (values[meaning] ?? 0), 0)
}

function percentOf(value: number, whole: number): string {
  return `${(100 * value) / whole}%`
}

/** The names of some days, each in the middle of its neighbours. */
function DayNames({ bars }: { readonly bars: readonly Bar[] }) {
  const step = Math.ceil(bars.length / NAMED_DAYS)
  return (
    <div className="days soft">
      {bars.map(
        ({ start }, at) =>
          at % step === Math.floor(step / 2) && (
            <span key={start} style={{ left: percentOf(at + 0.5, bars.length) }}>
              {DAY.format(start)}
            </span>
          ),
      )}
    </div>
  )
}

/** The values of a day, in the half of the chart that the pointer is not in. */
function Hint({ bar, isLeft }: { readonly bar: Bar | undefined; readonly isLeft: boolean }) {
  if (!bar) return null
  return (
    <div className={isLeft ? 'hint left' : 'hint'}>
      <strong>{LONG_DAY.format(bar.start)}</strong>
      {bar.words.length === 0 && <span className="soft">Nothing</span>}
      {bar.words.map((line) => (
        <span key={line} className="figures">
          {line}
        </span>
      ))}
    </div>
  )
}

function summaryOf(bars: readonly Bar[]): string {
  const days = bars.filter(({ words }) => words.length > 0)
  return days.length === 0
    ? 'Nothing.'
    : days.map(({ start, words }) => `${DAY.format(start)}: ${words.join(', ')}`).join('; ')
}
