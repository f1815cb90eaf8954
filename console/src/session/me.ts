import type { Permission } from '@countersign/contract/core/endpoint'
import type { MemberIdentity } from '@countersign/contract/platforms/member-sessions'
import { CountersignError } from '@countersign/sdk'
import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { Static } from 'typebox'
import { countersign } from '../data/client.ts'
import { connection } from '../data/connection.ts'

export type Identity = Static<typeof MemberIdentity>

/** Who is signed in; null where nobody is. Asked again now and then, because permissions change while a page is open. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async (): Promise<Identity | null> => {
    try {
      const me = await countersign.members.me()
      connection.signedIn()
      return me
    } catch (error) {
      if (error instanceof CountersignError && error.status === 401) return null
      throw error
    }
  },
})

/** The member whose pages these are, also while the session has ended and is being renewed. The gate provides it. */
export const MeContext = createContext<Identity | undefined>(undefined)

/** The member whose pages these are. Only within the gate, which shows no page before. */
export function useMe(): Identity {
  const me = useContext(MeContext)
  if (!me) throw new Error('Nobody is signed in')
  return me
}

/** Why the member may not do what needs a permission, or one that is as good; undefined where the member may. */
export function useDenied(permission: Permission, or = permission): string | undefined {
  const { member } = useMe()
  return member.permissions.includes(permission) || member.permissions.includes(or)
    ? undefined
    : `You do not have the permission ${permission}. A member with MANAGE can give it to you.`
}

/** Whether the platform is in a sandbox. */
export function useIsSandbox(): boolean {
  return useMe().platform.mode === 'SANDBOX'
}
