import { useCallback, useEffect, useRef, useState } from 'react'
import { useCountersign } from './context.ts'

/** Data loaded from the server, and reloaded when something has changed. */
export interface Resource<T> {
  /** The latest response. It stays available while reloading. */
  readonly data: T | undefined
  /** The error of the latest attempt to load. */
  readonly error: unknown
  readonly isLoading: boolean
  readonly reload: () => void
}

/**
 * Loads data with `load`, immediately and whenever the provider's `version` increases. Starts over when `key`
 * changes.
 */
export function useResource<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const { version } = useCountersign()
  const [reloads, setReloads] = useState(0)
  const [result, setResult] = useState<{ key: string; data?: T; error?: unknown }>({ key })
  const latest = useRef(load)
  useEffect(() => {
    latest.current = load
  })
  useEffect(() => {
    const controller = new AbortController()
    latest.current(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setResult({ key, data })
      },
      (error: unknown) => {
        if (controller.signal.aborted) return
        setResult((previous) => (previous.key === key ? { ...previous, error } : { key, error }))
      },
    )
    return () => controller.abort()
  }, [key, version, reloads])
  const reload = useCallback(() => setReloads((before) => before + 1), [])
  const { data, error } = result.key === key ? result : {}
  return { data, error, isLoading: data === undefined && error === undefined, reload }
}
