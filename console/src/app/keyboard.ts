import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { PLACES } from './navigation.ts'

/** The time limit for the second key after `g`. */
const SECOND_KEY_MS = 1_200

/** `/` searches; `g` and a letter go to a place. Keys that are typed into a field are the field's. */
export function useKeys(search: () => void): void {
  const navigate = useNavigate()
  const waitsUntil = useRef(0)
  useHotkeys([['/', search]])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
      if (event.key === 'g') {
        waitsUntil.current = event.timeStamp + SECOND_KEY_MS
        return
      }
      const place = event.timeStamp < waitsUntil.current && PLACES.find(({ key }) => key === event.key)
      waitsUntil.current = 0
      if (place) void navigate({ to: place.to })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [navigate])
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
