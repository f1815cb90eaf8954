import { useCallback } from 'react'
import { CountersignError } from '../client/errors.ts'
import type { Session } from '../wallet/session.ts'
import { type SessionState, useCountersign } from './context.ts'

/** The session on this device and what can be done with it. */
export interface SessionControls {
  readonly status: SessionState['status']
  /** Undefined unless the customer is signed in. */
  readonly session: Session | undefined
  /** Why the last session ended. */
  readonly why: 'ended' | 'signed-out' | undefined
  /**
   * Adopts a session that the page created itself: `start(await wallet.oauth.signIn({ oidcToken, key }))`.
   */
  readonly start: (session: Session) => Promise<void>
  /** Replaces the session with a new one that lasts longer, and revokes the old one. */
  readonly renew: () => Promise<void>
  /** Revokes the session on the server and removes it from this device. */
  readonly signOut: () => Promise<void>
}

export function useSession(): SessionControls {
  const { state, start, end, wallet } = useCountersign()
  const session = state.status === 'signed-in' ? state.session : undefined
  const renew = useCallback(async () => {
    if (!session) return
    const renewed = await session.refresh()
    await start(renewed)
    await wallet.revokeSession(session.id, renewed)
  }, [session, start, wallet])
  const signOut = useCallback(async () => {
    try {
      await session?.revoke()
    } catch (error) {
      // An expired session needs no revocation. After any other error the customer is still signed in.
      if (!(error instanceof CountersignError) || error.status >= 500) throw error
    }
    await end('signed-out')
  }, [session, end])
  const why = state.status === 'signed-out' ? state.why : undefined
  return { status: state.status, session, why, start, renew, signOut }
}
