import { isObject } from '@countersign/contract/core/decode'

// In JSON, only names are followed by a colon.
const STRING_AND_COLON = /"(?:[^"\\]|\\.)*"([ \t\r\n]*:)?/g

/**
 * The properties of a JSON object. Undefined for anything else: invalid JSON, duplicate names in any object
 * (`JSON.parse` silently keeps the last one, other parsers may keep the first), or strings that the database
 * cannot store (with U+0000 or unpaired surrogates). Never throws.
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

/** The total number of properties in all objects. Undefined if a string cannot be stored. */
function countMembers(root: unknown): number | undefined {
  let count = 0
  // A list instead of recursion, because the sender controls the depth.
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
