import { isObject } from '@countersign/contract/core/decode'

// Matches a name: in JSON, only a name is followed by a colon.
const STRING_AND_COLON = /"(?:[^"\\]|\\.)*"([ \t\r\n]*:)?/g

/**
 * The properties of JSON that is one object. Undefined for anything else: invalid JSON; duplicate names in
 * any object (`JSON.parse` silently keeps the last one, another parser perhaps the first); strings that a
 * database cannot store, with U+0000 or half a surrogate pair. Never throws.
 */
export function readJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(value)) return undefined
  const members = countMembers(value)
  if (members === undefined) return undefined
  let named = 0
  for (const match of text.matchAll(STRING_AND_COLON)) if (match[1] !== undefined) named += 1
  return named === members ? value : undefined
}

/** The total number of properties in all objects; undefined if a string cannot be stored. */
function countMembers(root: unknown): number | undefined {
  let count = 0
  // Uses a list instead of recursion, because the input controls the depth.
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string' && !isStorable(value)) return undefined
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) {
      for (const item of value) open.push(item)
      continue
    }
    for (const [name, member] of Object.entries(value)) {
      if (!isStorable(name)) return undefined
      count += 1
      open.push(member)
    }
  }
  return count
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
