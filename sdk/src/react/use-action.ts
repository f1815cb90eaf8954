import { useCallback, useEffect, useRef, useState } from 'react'
import { CountersignError } from '../client/errors.ts'
import { useCountersign } from './context.ts'

/** Something that a button does. */
export interface Action<Arguments extends unknown[]> {
  /** Performs the action, unless it is already in progress. Never rejects: see `error`. */
  readonly run: (...args: Arguments) => Promise<void>
  readonly isBusy: boolean
  /** Why it failed last. */
  readonly error: unknown
  readonly clear: () => void
}

/**
 * `act` as an action. If the server no longer knows the signing session, the customer is also signed out
 * here.
 */
export function useAction<Arguments extends unknown[]>(
  act: (...args: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const { end } = useCountersign()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const latest = useRef(act)
  const running = useRef(false)
  useEffect(() => {
    latest.current = act
  })
  const run = useCallback(
    async (...args: Arguments) => {
      if (running.current) return
      running.current = true
      setBusy(true)
      setError(undefined)
      try {
        await latest.current(...args)
      } catch (cause) {
        setError(cause)
        if (isOfEndedSession(cause)) await end('ended')
      } finally {
        running.current = false
        setBusy(false)
      }
    },
    [end],
  )
  const clear = useCallback(() => setError(undefined), [])
  return { run, isBusy, error, clear }
}

function isOfEndedSession(error: unknown): boolean {
  return error instanceof CountersignError && error.code === 'WALLET_SIGNATURE_INVALID'
}
