import { useEffect, useRef } from 'react'

/** True for a place where keys are typed. */
export function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      (/^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target.getAttribute('type') !== 'checkbox'))
  )
}

/** True if a key is meant for the page: not with a modifier, not typed into a field, not pressed in a dialog or a menu. */
function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isField(event.target))
    return false
  return document.querySelector('[role=dialog], [role=menu]') === null
}

export type Keys = Readonly<Record<string, () => void>>

/** Keys of a page while it is open, by `KeyboardEvent.key`. */
export function usePageKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = isForPage(event) && Object.hasOwn(latest.current, event.key) && latest.current[event.key]
      if (!act) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
