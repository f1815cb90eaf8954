import type { Overview } from '@countersign/contract/operation/overview'
import { WATCHES, type Watch } from '@countersign/contract/operation/watches'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Static } from 'typebox'
import { formatFigures } from '../../ui/money-format.ts'
import { Panel } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { toLinkTarget } from '../../ui/target.ts'
import { formatDuration } from '../../ui/time-format.ts'

type Reading = Static<typeof Overview>['watches'][number]

/** All monitored values and their limits. Values outside their limit come first. */
export function MonitoredValues({ readings }: { readonly readings: readonly Reading[] }) {
  const alerts = readings.filter(({ isCrossed }) => isCrossed)
  const withinLimits = readings.filter(({ isCrossed }) => !isCrossed)
  return (
    <Panel title="Monitored values" actions={<Status state={alerts.length > 0 ? 'NEEDS_ATTENTION' : 'OK'} />}>
      {readings.length === 0 ? (
        <span className="soft">No limits are set yet.</span>
      ) : (
        <ul className="tiles watched" aria-label="Monitored values">
          {[...alerts, ...withinLimits].map((reading) => (
            <li key={`${reading.watch} ${reading.subject} ${reading.unit}`}>
              <Tile reading={reading} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Tile({ reading }: { readonly reading: Reading }) {
  const { watch, subject, unit, value, limit, isCrossed } = reading
  const { title, page, alertsIf, advice }: Watch = WATCHES[watch]
  const content = (
    <>
      <span className="figures">{formatValue(value, unit)}</span>
      <span>
        {title}: {subject}
      </span>
      <span className="soft">
        {alertsIf === 'below' ? 'At least' : 'At most'} {formatValue(limit, unit)}
      </span>
      {isCrossed && <span>{advice}.</span>}
    </>
  )
  return (
    <TileFrame isCrossed={isCrossed} page={page}>
      {content}
    </TileFrame>
  )
}

interface TileFrameProps {
  readonly isCrossed: boolean
  readonly page: string | undefined
  readonly children: ReactNode
}

function TileFrame({ isCrossed, page, children }: TileFrameProps) {
  const className = isCrossed ? 'tile open' : 'tile'
  if (page === undefined) return <div className={className}>{children}</div>
  return (
    <Link {...toLinkTarget(page)} className={className}>
      {children}
    </Link>
  )
}

/** Formats a decimal number with thousands separators: `1,234.50`. */
function groupDigits(value: string): string {
  const [, decimals = ''] = value.split('.')
  return formatFigures({ amount: BigInt(value.replace('.', '')), decimals: decimals.length })
}

function formatValue(value: string, unit: string): string {
  if (unit !== 's') return `${groupDigits(value)} ${unit}`
  const ms = Number(value) * 1000
  return ms < 60_000 ? `${value} s` : formatDuration(ms)
}
