import { EVENT_TYPES, type EventType } from '@countersign/contract/events/events'
import { Failure } from './failure.ts'

/** True if the event feed has this type. */
export function isEventType(text: string): text is EventType {
  return EVENT_TYPES.some((type) => type === text)
}

/** Parses a list such as `CARD.STATE_CHANGE,TEST`, ignoring case. Throws Failure for an unknown type. */
export function readEventTypes(text: string): readonly EventType[] {
  const words = [...new Set(text.split(',').map((word) => word.trim().toUpperCase()))]
  return words.map((word) => {
    if (isEventType(word)) return word
    throw new Failure(`"${word}" is not an event type. List the event types: countersign trigger --list`)
  })
}
