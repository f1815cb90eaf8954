import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** The id of the element with the page's content. */
export const MAIN_ID = 'main'

/**
 * The first tab stop, which skips the navigation. It does not use a fragment in the address, because the
 * router would handle that.
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
 * Moves the focus to the content of a new page if the previously focused element is no longer in the
 * document. The keyboard then continues there instead of at the top, and screen readers start reading.
 */
export function useFocusOnNavigation(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        // On the first page nothing has had the focus yet.
        if (fromLocation && pathChanged && document.activeElement === document.body) focusMain()
      }),
    [router],
  )
}

function focusMain(): void {
  document.getElementById(MAIN_ID)?.focus({ preventScroll: true })
}
