const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const CLOCK = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const
const THIS_YEAR = new Intl.DateTimeFormat(undefined, CLOCK)
const OTHER_YEAR = new Intl.DateTimeFormat(undefined, { ...CLOCK, year: 'numeric' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { style: 'short', numeric: 'auto' })

const MINUTE_MS = 60_000
const RECENT_MINUTES = 60
/** The browser's estimate of the server's time may be this far behind. */
const CLOCK_ERROR_MS = 5_000

/**
 * Formats a time as `12 min. ago` within the last hour, otherwise as `Nov 23, 03:14 PM`, with the year if it
 * is not the current one. Uses the viewer's time zone. A time in the future is shown as a date, unless it is
 * so near that the clocks may disagree.
 */
export function formatShortTime(at: string, now: number): string {
  const date = new Date(at)
  const agoMs = now - date.getTime()
  const minutes = Math.floor(Math.max(agoMs, 0) / MINUTE_MS)
  if (agoMs >= -CLOCK_ERROR_MS && minutes < RECENT_MINUTES)
    return minutes === 0 ? 'just now' : RELATIVE.format(-minutes, 'minute')
  const isThisYear = date.getFullYear() === new Date(now).getFullYear()
  return (isThisYear ? THIS_YEAR : OTHER_YEAR).format(date)
}

const UNITS = [
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
] as const

/** Formats a duration in its largest unit: `14 days`. */
export function formatDuration(ms: number): string {
  const [unit, sizeMs] = UNITS.find(([, unitMs]) => ms >= unitMs) ?? ['minute', MINUTE_MS]
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.floor(ms / sizeMs),
  )
}

/** Formats the day in the viewer's time zone. */
export function formatDay(at: string): string {
  return DAY.format(new Date(at))
}

/** Formats a time with seconds and time zone, and also in UTC as in the API. */
export function formatExactTime(at: string): string {
  return `${EXACT.format(new Date(at))} · ${at}`
}
