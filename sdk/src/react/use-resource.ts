import { useCallback, useEffect, useRef, useState } from 'react'
import { useCountersign } from './context.ts'

/** Data that is read from the server, and read again when something has changed. */
export interface Resource<T> {
  /** The last response; kept during a reload. */
  readonly data: T | undefined
  /** The error of the last read. */
  readonly error: unknown
  readonly isLoading: boolean
  readonly reload: () => void
}

/** Reads with `load`, immediately and whenever the provider's `version` rises. A new `key` starts over. */
export function useResource<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const { version } = useCountersign()
  const [own, setOwn] = useState(0)
  const [seen, setSeen] = useState<{ key: string; data?: T; error?: unknown }>({ key })
  const latest = useRef(load)
  useEffect(() => {
    latest.current = load
  })
  useEffect(() => {
    const stop = new AbortController()
    latest.current(stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) setSeen({ key, data })
      },
      (error: unknown) => {
        if (stop.signal.aborted) return
        setSeen((before) => (before.key === key ? { ...before, error } : { key, error }))
      },
    )
    return () => stop.abort()
  }, [key, version, own])
  const reload = useCallback(() => setOwn((before) => before + 1), [])
  const { data, error } = seen.key === key ? seen : {}
  return { data, error, isLoading: data === undefined && error === undefined, reload }
}
