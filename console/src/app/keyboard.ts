import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isField, usePageKeys } from '../ui/keys.ts'
import { PLACES } from './navigation.ts'

/** The time limit for the second key after `g`. */
const SECOND_KEY_MS = 1_200

/**
 * `/` and Ctrl-K (⌘ K) search, the latter from fields too; `?` shows the keys; `g` and a letter go to a
 * place. Other keys typed into a field are the field's.
 */
export function useKeys({ search, help }: { readonly search: () => void; readonly help: () => void }): void {
  const navigate = useNavigate()
  const waitsUntil = useRef(0)
  useHotkeys([['mod+K', search]], [])
  usePageKeys({ '/': search, '?': help })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
      if (event.key === 'g') {
        waitsUntil.current = event.timeStamp + SECOND_KEY_MS
        return
      }
      const place = event.timeStamp < waitsUntil.current && PLACES.find(({ key }) => key === event.key)
      waitsUntil.current = 0
      if (!place) return
      // Not a key of the page that is left.
      event.preventDefault()
      void navigate({ to: place.to })
    }
    // Before the keys of the page.
    window.addEventListener('keydown', onKey, true)
    return () => window.removeEventListener('keydown', onKey, true)
  }, [navigate])
}
