import { FREE_FORM_MAX, type FreeFormMax } from '@countersign/contract/core/schema'
import { toJson } from './json.ts'

/** True if a caller's free-form object is within the limits. */
export function isWithinFreeForm(value: unknown, max: FreeFormMax = FREE_FORM_MAX): boolean {
  let members = 0
  const fits = (part: unknown, levels: number): boolean => {
    if (typeof part !== 'object' || part === null) return true
    const inside = Object.values(part)
    members += inside.length
    return levels > 0 && members <= max.members && inside.every((member) => fits(member, levels - 1))
  }
  return fits(value, max.levels) && Buffer.byteLength(toJson(value)) <= max.bytes
}
