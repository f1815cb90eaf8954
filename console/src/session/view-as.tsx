import { Button } from '@mantine/core'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { type Identity, MeContext } from './me.ts'

type Permissions = Identity['member']['permissions']

/** The member whose permissions the console shows, in place of the signed-in one's. */
interface Viewed {
  readonly name: string
  readonly permissions: Permissions
}

const ViewAsContext = createContext<(viewed: Viewed) => void>(() => undefined)

/** Shows the console as another member sees it, until the banner ends it or the page is loaded again. */
export function useViewAs(): (viewed: Viewed) => void {
  return useContext(ViewAsContext)
}

/**
 * Provides who is signed in, with the permissions of the member viewed. Nothing is granted: calls are still made by the
 * signed-in member, and a permission that this one lacks is left out.
 */
export function ViewAs({ me, children }: { readonly me: Identity; readonly children: ReactNode }) {
  const [viewed, setViewed] = useState<Viewed>()
  const shown = useMemo(() => (viewed ? withPermissions(me, viewed.permissions) : me), [me, viewed])
  return (
    <ViewAsContext value={setViewed}>
      <MeContext value={shown}>{children}</MeContext>
      {viewed && (
        <div className="view-as waits" role="status">
          <span className="clipped">You see the console as {viewed.name}.</span>
          <Button variant="default" size="compact-sm" onClick={() => setViewed(undefined)}>
            End
          </Button>
        </div>
      )}
    </ViewAsContext>
  )
}

function withPermissions(me: Identity, permissions: Permissions): Identity {
  const both = me.member.permissions.filter((one) => permissions.includes(one))
  return { ...me, member: { ...me.member, permissions: both } }
}
