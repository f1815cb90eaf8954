import { useState } from 'react'
import { type Bar, STACK } from './statistics.ts'
import { getTicks } from './ticks.ts'

const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const LONG_DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })
const COMPACT_NUMBER = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
/** The number of date labels that fit below a chart on a phone. */
const LABELS_MAX = 5

/** Daily bars, stacked by payment outcome. Screen readers announce the daily totals. */
export function Bars({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) {
  const [pointedAt, setPointedAt] = useState<number>()
  const ticks = getTicks(Math.max(...bars.map(sumValues)))
  const top = ticks.at(-1) ?? 1
  return (
    <div
      className="chart"
      role="img"
      aria-label={`${title}. ${summarize(bars)}`}
      onPointerLeave={() => setPointedAt(undefined)}
    >
      <div className="plot">
        {ticks.map((tick) => (
          <div key={tick} className="tick figures" style={{ bottom: toPercent(tick, top) }}>
            <span>{COMPACT_NUMBER.format(tick)}</span>
          </div>
        ))}
        {bars.map((bar, index) => (
          <div key={bar.start} className="day" onPointerEnter={() => setPointedAt(index)}>
            {STACK.map((meaning) => (
              <span
                key={meaning}
                style={{
                  height: toPercent(bar.values[meaning] ?? 0, top),
                  background: `var(--${meaning}-fill)`,
                }}
              />
            ))}
          </div>
        ))}
      </div>
      <DayLabels bars={bars} />
      {pointedAt !== undefined && <Tooltip bar={bars[pointedAt]} isLeft={pointedAt >= bars.length / 2} />}
    </div>
  )
}

function sumValues({ values }: Bar): number {
  return STACK.reduce((sum, meaning) => sum + (values[meaning] ?? 0), 0)
}

function toPercent(value: number, whole: number): string {
  return `${(100 * value) / whole}%`
}

/** Labels every nth day, centered under its bar. */
function DayLabels({ bars }: { readonly bars: readonly Bar[] }) {
  const step = Math.ceil(bars.length / LABELS_MAX)
  return (
    <div className="days soft">
      {bars.map(
        ({ start }, index) =>
          index % step === Math.floor(step / 2) && (
            <span key={start} style={{ left: toPercent(index + 0.5, bars.length) }}>
              {DAY.format(start)}
            </span>
          ),
      )}
    </div>
  )
}

/** Tooltip with a day's values, on the opposite half of the chart from the pointer. */
function Tooltip({ bar, isLeft }: { readonly bar: Bar | undefined; readonly isLeft: boolean }) {
  if (!bar) return null
  return (
    <div className={isLeft ? 'hint left' : 'hint'}>
      <strong>{LONG_DAY.format(bar.start)}</strong>
      {bar.descriptions.length === 0 && <span className="soft">Nothing</span>}
      {bar.descriptions.map((line) => (
        <span key={line} className="figures">
          {line}
        </span>
      ))}
    </div>
  )
}

function summarize(bars: readonly Bar[]): string {
  const days = bars.filter(({ descriptions }) => descriptions.length > 0)
  return days.length === 0
    ? 'Nothing.'
    : days.map(({ start, descriptions }) => `${DAY.format(start)}: ${descriptions.join(', ')}`).join('; ')
}
