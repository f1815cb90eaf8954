import { type JsonSchema, memberFor } from './decode.ts'

/** A member that the schema of its object does not name. */
export interface UnknownMember {
  /** The names from the whole value down to the member; an item of a list has its index. */
  readonly path: readonly string[]
  /** The members that the object may have. */
  readonly known: readonly string[]
}

/**
 * The members of parsed JSON that a schema does not name, at every level, at most `countMax` of them, in their order. A
 * schema that takes any members has none. The value need not fit the schema: a value of another type is skipped.
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
