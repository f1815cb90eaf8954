import { useEffect, useRef } from 'react'

/** True if the element accepts typed text. */
export function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      (/^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target.getAttribute('type') !== 'checkbox'))
  )
}

/** True if a key press is meant for the page: without a modifier, and not in a field, dialog or menu. */
function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isField(event.target))
    return false
  return document.querySelector('[role=dialog], [role=menu]') === null
}

export type Keys = Readonly<Record<string, () => void>>

/** Registers the page's keyboard shortcuts, by `KeyboardEvent.key`, while it is mounted. */
export function usePageKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const handler =
        isForPage(event) && Object.hasOwn(latest.current, event.key) && latest.current[event.key]
      if (!handler) return
      event.preventDefault()
      handler()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
