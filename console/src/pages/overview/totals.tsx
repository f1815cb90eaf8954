import { formatMoney } from '../../ui/money.tsx'
import { formatConstant, getMeaning } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { countByStatus, getPercentage, type Statistic, sumVolumes, type Total } from './statistics.ts'

interface TotalsProps {
  readonly statistics: readonly Statistic[]
  /** The start of each displayed day. */
  readonly days: readonly number[]
}

/** The legend of the payment chart: the count by status, the previous period, and a link to the payments. */
export function Totals({ statistics, days }: TotalsProps) {
  const [start = 0] = days
  const totals = countByStatus(statistics, start)
  const from = formatDay(start)
  const to = formatDay(days.at(-1) ?? start)
  const hasBefore = totals.some(({ before }) => before > 0)
  return (
    <>
      <FailureRate totals={totals} days={days.length} />
      <ul className="legend" aria-label="Payments by status">
        {totals.map(({ status, count, before }) => (
          <li key={status}>
            <span className={`swatch ${getMeaning(status)}`} aria-hidden="true" />
            <TextLink to="/transactions" search={{ status, from, to }}>
              {formatConstant(status)}
            </TextLink>
            <span className="figures">{count.toLocaleString()}</span>
            {hasBefore && <span className="soft figures">before: {before.toLocaleString()}</span>}
          </li>
        ))}
      </ul>
    </>
  )
}

function FailureRate({ totals, days }: { readonly totals: readonly Total[]; readonly days: number }) {
  const failed = totals.filter(({ status }) => getMeaning(status) === 'failed')
  const sum = (totals: readonly Total[], key: 'count' | 'before') =>
    totals.reduce((sum, total) => sum + total[key], 0)
  const [now, before] = (['count', 'before'] as const).map((key) =>
    getPercentage(sum(failed, key), sum(totals, key)),
  )
  if (now === undefined && before === undefined) return null
  return (
    <p className="total">
      <strong>Failure rate {formatPercent(now)}</strong>
      <span className="soft">
        {' '}
        ({sum(failed, 'count').toLocaleString()} of {sum(totals, 'count').toLocaleString()} payments)
        {before !== undefined && `, ${formatPercent(before)} in the ${days} days before`}
      </span>
    </p>
  )
}

/** A currency's volume compared with the previous period. */
export function VolumeTotal({ statistics, days, currency }: TotalsProps & { readonly currency: string }) {
  const [start = 0] = days
  const { amount, before } = sumVolumes(statistics, start, currency)
  const unit = statistics.find((statistic) => statistic.currency.code === currency)?.currency
  if (!unit) return null
  return (
    <p className="total">
      <strong>{formatMoney({ amount, currency: unit })}</strong>
      {before > 0n && (
        <span className="soft">
          , {formatMoney({ amount: before, currency: unit })} in the {days.length} days before
        </span>
      )}
    </p>
  )
}

function formatPercent(share: number | undefined): string {
  return share === undefined ? '–' : `${share.toLocaleString(undefined, { maximumFractionDigits: 1 })} %`
}

/** Formats a day in the viewer's time zone for use in a filter: `2026-03-31`. */
function formatDay(ms: number): string {
  const date = new Date(ms)
  const toTwoDigits = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${toTwoDigits(date.getMonth() + 1)}-${toTwoDigits(date.getDate())}`
}
