import { Button } from '@mantine/core'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { type Identity, MeContext } from './me.ts'

type Permissions = Identity['member']['permissions']

/** The member whose permissions the console applies instead of the signed-in member's. */
interface ViewedMember {
  readonly name: string
  readonly permissions: Permissions
}

const ViewAsContext = createContext<(viewed: ViewedMember) => void>(() => undefined)

/**
 * Returns a function that shows the console as another member sees it, until the member ends that or reloads
 * the page.
 */
export function useViewAs(): (viewed: ViewedMember) => void {
  return useContext(ViewAsContext)
}

/**
 * Provides the signed-in member's identity with the permissions of the member being viewed. This grants
 * nothing: calls are still made as the signed-in member, whose missing permissions are left out.
 */
export function ViewAs({ me, children }: { readonly me: Identity; readonly children: ReactNode }) {
  const [viewed, setViewed] = useState<ViewedMember>()
  const effective = useMemo(() => (viewed ? withPermissions(me, viewed.permissions) : me), [me, viewed])
  return (
    <ViewAsContext value={setViewed}>
      <MeContext value={effective}>{children}</MeContext>
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
  const shared = me.member.permissions.filter((permission) => permissions.includes(permission))
  return { ...me, member: { ...me.member, permissions: shared } }
}
