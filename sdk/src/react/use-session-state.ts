import { useCallback, useEffect, useState } from 'react'
import { systemClock } from '../time/system-clock.ts'
import type { Session } from '../wallet/session.ts'
import type { SessionStore } from '../wallet/session-store.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { SessionState } from './context.ts'

/** Browser timers cannot run longer than this. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** Manages a wallet's session: restores it from the store, saves it there, and ends it when it expires. */
export function useSessionState(wallet: Wallet, store: SessionStore) {
  const [state, setState] = useState<SessionState>({ status: 'loading' })
  const { accountId } = wallet

  useEffect(() => {
    let isCurrent = true
    setState({ status: 'loading' })
    restoreSession(wallet, store).then(
      (session) => {
        if (isCurrent) setState(session ? { status: 'signed-in', session } : { status: 'signed-out' })
      },
      () => {
        // The browser's storage is unavailable, as in a private window, so the customer has to sign in again.
        if (isCurrent) setState({ status: 'signed-out' })
      },
    )
    return () => {
      isCurrent = false
    }
  }, [wallet, store])

  const start = useCallback(
    async (session: Session) => {
      setState({ status: 'signed-in', session })
      await store.save(session.record).catch(() => {})
    },
    [store],
  )
  const end = useCallback(
    async (why: 'ended' | 'signed-out') => {
      setState({ status: 'signed-out', why })
      await store.remove(accountId).catch(() => {})
    },
    [store, accountId],
  )

  useEffect(() => {
    if (state.status !== 'signed-in') return
    const leftMs = state.session.expiresAt.getTime() - systemClock()
    const timer = setTimeout(() => void end('ended'), Math.min(Math.max(leftMs, 0), TIMER_MS_MAX))
    return () => clearTimeout(timer)
  }, [state, end])

  return { state, start, end }
}

async function restoreSession(wallet: Wallet, store: SessionStore): Promise<Session | undefined> {
  const record = await store.load(wallet.accountId)
  if (!record) return undefined
  const session = await wallet.session(record)
  if (!session.isExpired(new Date(systemClock()))) return session
  await store.remove(wallet.accountId)
  return undefined
}
