import type { ErrorComponentProps } from '@tanstack/react-router'
import { useState } from 'react'
import { ErrorState } from '../ui/states.tsx'

/** The error of a page, inside the shell. */
export function PageError({ error }: ErrorComponentProps) {
  const [isAway, setAway] = useState(false)
  const retry = async () => {
    // A browser may remember a script that failed to load until the window is loaded again.
    if (await isBack()) location.reload()
    else setAway(true)
  }
  const shown = isAway ? new Error('The server cannot be reached. Try again when it is back.') : error
  return <ErrorState error={shown} retry={() => void retry()} />
}

async function isBack(): Promise<boolean> {
  try {
    return (await fetch(location.href, { method: 'HEAD', cache: 'no-store' })).ok
  } catch {
    return false
  }
}
