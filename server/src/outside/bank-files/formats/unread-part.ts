import { UnreadablePart } from './unreadable-file.ts'
import type { XmlElement } from './xml-records.ts'

export const RAW_CHARACTERS_MAX = 4_000
const REASON_CHARACTERS_MAX = 500

/** An unreadable part of a file. It waits for manual review while the other parts are read. */
export interface UnreadPart {
  /** Identifies the part for a person, such as `entry 3` or `line 12`. */
  readonly place: string
  readonly reason: string
  /** The raw content of the part, truncated to 4,000 characters. */
  readonly raw: string
  /** Signed, in smallest units. Positive for incoming money. Null if the amount is unreadable too. */
  readonly amount: bigint | null
  readonly currency: string | null
}

export function toUnreadPart(
  place: string,
  reason: string,
  raw: string,
  money?: { readonly amount: bigint; readonly currency: string },
): UnreadPart {
  return {
    place,
    reason: reason.slice(0, REASON_CHARACTERS_MAX),
    raw: raw.slice(0, RAW_CHARACTERS_MAX).toWellFormed(),
    amount: money?.amount ?? null,
    currency: money?.currency ?? null,
  }
}

/** Reads a part. Returns the reason if it cannot be read. */
export function readPart<Read>(read: () => Read): { readonly read: Read } | { readonly reason: string } {
  try {
    return { read: read() }
  } catch (error) {
    if (error instanceof UnreadablePart) return { reason: error.message }
    throw error
  }
}

/** Formats an element as XML for a person. Stops soon after the maximum number of characters. */
export function formatRaw(element: XmlElement): string {
  const pieces: string[] = []
  let characters = 0
  const write = (piece: string) => {
    pieces.push(piece)
    characters += piece.length
  }
  const writeElement = ({ name, attributes, text, children }: XmlElement): void => {
    if (characters > RAW_CHARACTERS_MAX) return
    const formatted = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`)
    write(`<${name}${formatted.join('')}>${text}`)
    for (const child of children) writeElement(child)
    write(`</${name}>`)
  }
  writeElement(element)
  return pieces.join('')
}
