import type { ErrorComponentProps } from '@tanstack/react-router'
import { useState } from 'react'
import { ErrorState } from '../ui/states.tsx'

/** Shows a page's error inside the shell. */
export function PageError({ error }: ErrorComponentProps) {
  const [isUnreachable, setUnreachable] = useState(false)
  const retry = async () => {
    // A browser may cache the failure to load a script until the window is reloaded.
    if (await isReachable()) location.reload()
    else setUnreachable(true)
  }
  const displayedError = isUnreachable ? new Error('The server cannot be reached. Try again later.') : error
  return <ErrorState error={displayedError} retry={() => void retry()} />
}

async function isReachable(): Promise<boolean> {
  try {
    return (await fetch(location.href, { method: 'HEAD', cache: 'no-store' })).ok
  } catch {
    return false
  }
}
