import type { ErrorComponentProps } from '@tanstack/react-router'
import { useState } from 'react'
import { ErrorState } from '../ui/states.tsx'

/** The error of a page, inside the shell. */
export function PageError({ error }: ErrorComponentProps) {
  const [shown, setShown] = useState<unknown>(error)
  const retry = async () => {
    try {
      await fetch(location.href, { method: 'HEAD', cache: 'no-store' })
      // A browser may remember a script that failed to load until the window is loaded again.
      location.reload()
    } catch {
      setShown(new Error('The server cannot be reached. Try again when it is back.'))
    }
  }
  return <ErrorState error={shown} retry={() => void retry()} />
}
