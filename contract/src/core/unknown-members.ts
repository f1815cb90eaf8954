import { type JsonSchema, memberFor } from './decode.ts'

/** A field that the schema of its object does not name. */
export interface UnknownMember {
  /** The keys from the whole value down to the field; an item of a list has its index. */
  readonly path: readonly string[]
  /** The fields that the object may have. */
  readonly known: readonly string[]
}

/**
 * The fields of parsed JSON that a schema does not name, at every level, in order, up to `countMax`. The
 * value need not fit the schema: a value of another type is skipped. Fields that a `shownBy` schema names at
 * the same place also count as known, whatever their value.
 */
export function unknownMembers(
  schema: JsonSchema,
  value: unknown,
  { countMax, shownBy = [] }: { countMax: number; shownBy?: readonly JsonSchema[] },
): UnknownMember[] {
  const found: UnknownMember[] = []
  const path: string[] = []

  function walkInto(name: string, schema: JsonSchema, value: unknown, shownBy: readonly JsonSchema[]): void {
    path.push(name)
    walk(schema, value, shownBy)
    path.pop()
  }

  function walk(given: JsonSchema, value: unknown, shownBy: readonly JsonSchema[]): void {
    if (value === null || typeof value !== 'object' || found.length >= countMax) return
    const schema = resolveUnion(given, value)
    const shown = shownBy.map((one) => resolveUnion(one, value))
    if (Array.isArray(value)) {
      const items = shown.flatMap((one) => one.items ?? [])
      for (let index = 0; schema.items && index < value.length && found.length < countMax; index++)
        walkInto(String(index), schema.items, value[index], items)
      return
    }
    const { properties } = schema
    if (!properties) return
    for (const [name, member] of Object.entries(value)) {
      if (found.length >= countMax) return
      const known = propertyOf(schema, name)
      const shownAs = shown.flatMap((one) => propertyOf(one, name) ?? [])
      if (known) walkInto(name, known, member, shownAs)
      else if (schema.additionalProperties !== true && shownAs.length === 0)
        found.push({ path: [...path, name], known: Object.keys(properties) })
    }
  }

  walk(schema, value, shownBy)
  return found
}

/** The schema itself, or the member of its union that fits the value. */
function resolveUnion(schema: JsonSchema, value: unknown): JsonSchema {
  const union = schema.oneOf ?? schema.anyOf
  return union ? resolveUnion(memberFor(union, schema.discriminator?.propertyName, value), value) : schema
}

function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined
}
