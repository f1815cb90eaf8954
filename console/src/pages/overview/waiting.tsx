import type { Waiting as WaitingSchema } from '@countersign/contract/operation/overview'
import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { targetOf } from '../../ui/target.ts'

type Counts = Static<typeof WaitingSchema>

const TILES: readonly { readonly of: keyof Counts; readonly title: string; readonly to: string }[] = [
  { of: 'approvals', title: 'Approvals', to: '/approvals' },
  { of: 'verifications', title: 'Verifications', to: '/verifications?status=PENDING_MANUAL_REVIEW' },
  { of: 'screenings', title: 'Screening hits', to: '/approvals?kind=SCREENING' },
  { of: 'deposits', title: 'In suspense', to: '/approvals?kind=DEPOSIT' },
  { of: 'railEvents', title: 'Rail reports', to: '/approvals?kind=RAIL_EVENT' },
  { of: 'reconciliations', title: 'Unreconciled days', to: '/reconciliations?status=DIFFERENT' },
]

/** Pending decisions, each with a link. */
export function Waiting({ of }: { readonly of: Counts }) {
  return (
    <nav className="tiles" aria-label="Waits for a person">
      {TILES.map(({ of: name, title, to }) => (
        <Link key={name} {...targetOf(to)} className={of[name] > 0 ? 'tile open' : 'tile'}>
          <span className="figures">{of[name].toLocaleString()}</span>
          <span className="soft">{title}</span>
        </Link>
      ))}
    </nav>
  )
}
