import { lazy, Suspense, useState } from 'react'
import { loadWhenIdle } from '../data/idle-loads.ts'
import { Initials } from './initials.tsx'

const AccountMenu = lazy(
  loadWhenIdle(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu })),
)

/** Shows the signed-in member. The menu's code is loaded when it is first opened. */
export function AccountButton() {
  const [wasOpened, setWasOpened] = useState(false)
  const button = <Initials onClick={() => setWasOpened(true)} />
  if (!wasOpened) return button
  return (
    <Suspense fallback={button}>
      <AccountMenu />
    </Suspense>
  )
}
