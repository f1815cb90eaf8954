import { findUnionMember, type JsonSchema } from './decode.ts'

/** A field that is not in its object's schema. */
export interface UnknownMember {
  /** The keys from the root to the field. Array items are identified by index. */
  readonly path: readonly string[]
  /** The fields that the object can have. */
  readonly known: readonly string[]
}

/**
 * Lists the fields of parsed JSON that are not in the schema, at all levels and in order, up to `countMax`.
 * The value may be invalid: values of a wrong type are skipped. A field also counts as known if one of the
 * `shownBy` schemas has it at the same place, whatever its value.
 */
export function findUnknownMembers(
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

  function walk(declared: JsonSchema, value: unknown, shownBy: readonly JsonSchema[]): void {
    if (value === null || typeof value !== 'object' || found.length >= countMax) return
    const schema = resolveUnion(declared, value)
    const shownSchemas = shownBy.map((shown) => resolveUnion(shown, value))
    if (Array.isArray(value)) {
      const items = shownSchemas.flatMap((shown) => shown.items ?? [])
      for (let index = 0; schema.items && index < value.length && found.length < countMax; index++)
        walkInto(String(index), schema.items, value[index], items)
      return
    }
    const { properties } = schema
    if (!properties) return
    for (const [name, member] of Object.entries(value)) {
      if (found.length >= countMax) return
      const known = findProperty(schema, name)
      const shownProperties = shownSchemas.flatMap((shown) => findProperty(shown, name) ?? [])
      if (known) walkInto(name, known, member, shownProperties)
      else if (schema.additionalProperties !== true && shownProperties.length === 0)
        found.push({ path: [...path, name], known: Object.keys(properties) })
    }
  }

  walk(schema, value, shownBy)
  return found
}

/** Returns the union member that fits the value, or the schema itself if it is not a union. */
function resolveUnion(schema: JsonSchema, value: unknown): JsonSchema {
  const union = schema.oneOf ?? schema.anyOf
  return union
    ? resolveUnion(findUnionMember(union, schema.discriminator?.propertyName, value), value)
    : schema
}

function findProperty({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined
}
