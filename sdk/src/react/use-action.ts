import { useCallback, useEffect, useRef, useState } from 'react'
import { CountersignError } from '../client/errors.ts'
import { useCountersign } from './context.ts'

/** An asynchronous action, typically triggered by a button. */
export interface Action<Arguments extends unknown[]> {
  /** Runs the action unless it is already running. Never rejects: see `error`. */
  readonly run: (...args: Arguments) => Promise<void>
  readonly isBusy: boolean
  /** The error of the last run. */
  readonly error: unknown
  readonly clear: () => void
}

/**
 * Wraps `act` as an action. If the server no longer knows the session that signs, the customer is also signed
 * out here.
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
        if (isSessionEnded(cause)) await end('ended')
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

function isSessionEnded(error: unknown): boolean {
  return error instanceof CountersignError && error.code === 'WALLET_SIGNATURE_INVALID'
}
