import type { Permission } from '@countersign/contract/core/endpoint'
import type { MemberIdentity } from '@countersign/contract/platforms/member-sessions'
import { CountersignError } from '@countersign/sdk'
import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { Static } from 'typebox'
import { countersign } from '../data/client.ts'
import { connection } from '../data/connection.ts'

export type Identity = Static<typeof MemberIdentity>

/** The signed-in member, or null. Polled, because permissions may change while a page is open. */
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

/** The signed-in member. Stays the same while an expired session is being renewed. Provided by the gate. */
export const MeContext = createContext<Identity | undefined>(undefined)

/**
 * Returns the signed-in member. Only works inside the gate, which shows no page until somebody has signed in.
 */
export function useMe(): Identity {
  const me = useContext(MeContext)
  if (!me) throw new Error('No member is signed in')
  return me
}

/**
 * Says which permission the member lacks. Undefined if the member has `permission` or the alternative `or`.
 */
export function useMissingPermission(permission: Permission, alternative = permission): string | undefined {
  const { member } = useMe()
  return member.permissions.includes(permission) || member.permissions.includes(alternative)
    ? undefined
    : `You do not have the permission ${permission}. A member with MANAGE can give it to you.`
}

/** True if the platform is a sandbox. */
export function useIsSandbox(): boolean {
  return useMe().platform.mode === 'SANDBOX'
}
