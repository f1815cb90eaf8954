import type { Overview } from '@countersign/contract/operation/overview'
import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { Age } from '../../ui/age.tsx'
import { toLinkTarget } from '../../ui/target.ts'

type Of = Pick<Static<typeof Overview>, 'waiting' | 'waitingSince'>
type Counts = Of['waiting']

const TILES: readonly { readonly kind: keyof Counts; readonly title: string; readonly to: string }[] = [
  { kind: 'approvals', title: 'Approvals', to: '/approvals' },
  { kind: 'verifications', title: 'Verifications', to: '/verifications?status=PENDING_MANUAL_REVIEW' },
  { kind: 'screenings', title: 'Screening hits', to: '/approvals?kind=SCREENING' },
  { kind: 'deposits', title: 'In suspense', to: '/approvals?kind=DEPOSIT' },
  { kind: 'railEvents', title: 'Rail reports', to: '/approvals?kind=RAIL_EVENT' },
  { kind: 'reconciliations', title: 'Unreconciled days', to: '/reconciliations?status=DIFFERENT' },
]

/** Links to pending decisions, with their number and the age of the oldest. */
export function Waiting({ waiting: counts, waitingSince }: Of) {
  return (
    <nav className="tiles" aria-label="Waiting for a decision">
      {TILES.map(({ kind: name, title, to }) => (
        <Link key={name} {...toLinkTarget(to)} className={counts[name] > 0 ? 'tile open' : 'tile'}>
          <span className="figures">{counts[name].toLocaleString()}</span>
          <span className="soft">{title}</span>
          <Oldest since={waitingSince[name]} />
        </Link>
      ))}
    </nav>
  )
}

function Oldest({ since }: { readonly since: string | undefined }) {
  return (
    <span className="soft oldest">
      {since === undefined ? (
        'None'
      ) : (
        <>
          Oldest: <Age since={since} />
        </>
      )}
    </span>
  )
}
