import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isField, usePageKeys } from '../ui/keys.ts'
import { PLACES } from './navigation.ts'

/** The timeout for the second key after `g`. */
const SECOND_KEY_MS = 1_200

/**
 * `/` and Ctrl-K (⌘ K) open the search (Ctrl-K also while typing in a field), `?` shows the shortcuts, and
 * `g` followed by a letter opens a page. All other keys typed into a field are ignored here.
 */
export function useKeyboardShortcuts({
  search,
  help,
}: {
  readonly search: () => void
  readonly help: () => void
}): void {
  const navigate = useNavigate()
  const secondKeyDeadlineMs = useRef(0)
  useHotkeys([['mod+K', search]], [])
  usePageKeys({ '/': search, '?': help })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
      if (event.key === 'g') {
        secondKeyDeadlineMs.current = event.timeStamp + SECOND_KEY_MS
        return
      }
      const place =
        event.timeStamp < secondKeyDeadlineMs.current && PLACES.find(({ key }) => key === event.key)
      secondKeyDeadlineMs.current = 0
      if (!place) return
      // Prevents the current page from also handling this key.
      event.preventDefault()
      void navigate({ to: place.to })
    }
    // Registered for the capture phase, so that these shortcuts come before the page's own.
    window.addEventListener('keydown', onKey, true)
    return () => window.removeEventListener('keydown', onKey, true)
  }, [navigate])
}
