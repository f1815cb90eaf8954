import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** The element with the content of the page. */
export const MAIN_ID = 'main'

/**
 * The first tab stop: leads past the navigation. Not a fragment of the address, because the router would
 * handle it.
 */
export function SkipLink() {
  return (
    <a
      className="skip"
      href={`#${MAIN_ID}`}
      onClick={(event) => {
        event.preventDefault()
        focusMain()
      }}
    >
      Skip to the content
    </a>
  )
}

/**
 * Focuses the content of a new page if the focused element was on the previous one, so that the keyboard
 * continues there and not at the top of the document, and screen readers start to read.
 */
export function useKeptFocus(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        // Nothing had the focus before the first page.
        if (fromLocation && pathChanged && document.activeElement === document.body) focusMain()
      }),
    [router],
  )
}

function focusMain(): void {
  document.getElementById(MAIN_ID)?.focus({ preventScroll: true })
}
