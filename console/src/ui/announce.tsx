import { CloseButton } from '@mantine/core'
import { useEffect, useSyncExternalStore } from 'react'

/** The time for which a confirmation is shown. */
const SHOWN_MS = 8_000

class Announcements {
  #text: string | undefined
  readonly #listeners = new Set<() => void>()

  readonly text = (): string | undefined => this.#text

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly say = (text: string | undefined): void => {
    this.#text = text
    for (const listener of this.#listeners) listener()
  }
}

const announcements = new Announcements()

/** Shows a confirmation, which is also announced to screen readers. It replaces the previous one. */
export function announce(text: string): void {
  announcements.say(text)
}

/** Shows the latest confirmation above the page. */
export function Announcement() {
  const text = useSyncExternalStore(announcements.subscribe, announcements.text)
  useEffect(() => {
    if (text === undefined) return
    const timer = setTimeout(() => announcements.say(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div className="announcements" role="status">
      {text !== undefined && (
        <div className="announcement done">
          <span className="anywhere">{text}</span>
          <CloseButton size="sm" aria-label="Close" onClick={() => announcements.say(undefined)} />
        </div>
      )}
    </div>
  )
}
