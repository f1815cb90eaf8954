import type { KeyboardEvent } from 'react'

const STOPS = 'a[href], button, input, select, textarea, [tabindex]'

/**
 * Makes a date field a single tab stop. Browsers make each part of the date one; arrow keys move between the
 * parts.
 */
export function leaveByTab(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Tab') return
  const stops = [...document.querySelectorAll<HTMLElement>(STOPS)].filter(
    (element) => element.tabIndex >= 0 && !element.matches(':disabled') && element.checkVisibility(),
  )
  const next = stops[stops.indexOf(event.currentTarget) + (event.shiftKey ? -1 : 1)]
  if (!next) return
  event.preventDefault()
  next.focus()
}
