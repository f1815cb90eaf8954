import { type JsonSchema, memberFor } from './decode.ts'

/** A member that the schema of its object does not name. */
export interface UnknownMember {
  /** From the whole value down to the member itself; an item of a list by its index. */
  readonly path: readonly string[]
  /** What the object may have instead. */
  readonly known: readonly string[]
}

/**
 * The members of parsed JSON that a schema does not name, at every level, at most `countMax` of them, in their order.
 * Where the schema takes any members there are none. The value need not fit the schema: what has another type than its
 * schema says is passed over.
 */
export function unknownMembers(schema: JsonSchema, value: unknown, countMax: number): UnknownMember[] {
  const found: UnknownMember[] = []
  const path: string[] = []

  function walkInto(name: string, schema: JsonSchema, value: unknown): void {
    path.push(name)
    walk(schema, value)
    path.pop()
  }

  function walk(schema: JsonSchema, value: unknown): void {
    if (value === null || typeof value !== 'object' || found.length >= countMax) return
    const union = schema.oneOf ?? schema.anyOf
    if (union) {
      walk(memberFor(union, schema.discriminator?.propertyName, value), value)
      return
    }
    if (Array.isArray(value)) {
      for (let index = 0; schema.items && index < value.length && found.length < countMax; index++)
        walkInto(String(index), schema.items, value[index])
      return
    }
    const { properties } = schema
    if (!properties) return
    for (const [name, member] of Object.entries(value)) {
      if (found.length >= countMax) return
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (known) walkInto(name, known, member)
      else if (schema.additionalProperties !== true)
        found.push({ path: [...path, name], known: Object.keys(properties) })
    }
  }

  walk(schema, value)
  return found
}
