import { moneyText } from '../../ui/money.tsx'
import { meaningOf, wordsOf } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { type Statistic, shareOf, type Total, totalsOf, volumesOf } from './statistics.ts'

interface TotalsProps {
  readonly statistics: readonly Statistic[]
  /** The starts of the shown days. */
  readonly days: readonly number[]
}

/** The payment chart's legend: the number per status, the previous period, and a link to the payments. */
export function Totals({ statistics, days }: TotalsProps) {
  const [start = 0] = days
  const totals = totalsOf(statistics, start)
  const from = dayOf(start)
  const to = dayOf(days.at(-1) ?? start)
  const hasBefore = totals.some(({ before }) => before > 0)
  return (
    <>
      <FailureRate totals={totals} days={days.length} />
      <ul className="legend" aria-label="Payments by status">
        {totals.map(({ status, count, before }) => (
          <li key={status}>
            <span className={`swatch ${meaningOf(status)}`} aria-hidden="true" />
            <TextLink to="/transactions" search={{ status, from, to }}>
              {wordsOf(status)}
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
  const failed = totals.filter(({ status }) => meaningOf(status) === 'failed')
  const sum = (of: readonly Total[], key: 'count' | 'before') => of.reduce((all, one) => all + one[key], 0)
  const [now, before] = (['count', 'before'] as const).map((key) =>
    shareOf(sum(failed, key), sum(totals, key)),
  )
  if (now === undefined && before === undefined) return null
  return (
    <p className="total">
      <strong>Failure rate {inPercent(now)}</strong>
      <span className="soft">
        {' '}
        ({sum(failed, 'count').toLocaleString()} of {sum(totals, 'count').toLocaleString()} payments)
        {before !== undefined && `, ${inPercent(before)} in the ${days} days before`}
      </span>
    </p>
  )
}

/** The volume of a currency next to the period before. */
export function VolumeTotal({ statistics, days, currency }: TotalsProps & { readonly currency: string }) {
  const [start = 0] = days
  const { amount, before } = volumesOf(statistics, start, currency)
  const unit = statistics.find((one) => one.currency.code === currency)?.currency
  if (!unit) return null
  return (
    <p className="total">
      <strong>{moneyText({ amount, currency: unit })}</strong>
      {before > 0n && (
        <span className="soft">
          , {moneyText({ amount: before, currency: unit })} in the {days.length} days before
        </span>
      )}
    </p>
  )
}

function inPercent(share: number | undefined): string {
  return share === undefined ? '–' : `${share.toLocaleString(undefined, { maximumFractionDigits: 1 })} %`
}

/** A day in the viewer's zone, as filters have it: `2026-03-31`. */
function dayOf(ms: number): string {
  const date = new Date(ms)
  const toTwoDigits = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${toTwoDigits(date.getMonth() + 1)}-${toTwoDigits(date.getDate())}`
}
