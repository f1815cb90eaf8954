import type { Static, TSchema } from 'typebox'

/**
 * Converts validated JSON to the values that the schema's TypeScript type promises: integers with `format:
 * int64` become `bigint`, and fields not in the schema are dropped. The server uses it for requests, the SDK
 * for responses.
 */
export function decode<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema>
export function decode(schema: JsonSchema, value: unknown): unknown
export function decode(schema: JsonSchema, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (schema.format === 'int64' && (typeof value === 'number' || typeof value === 'bigint'))
    return BigInt(value)
  if (schema.type === 'number' && typeof value === 'bigint') return Number(value)
  const union = schema.oneOf ?? schema.anyOf
  if (union) return decode(findUnionMember(union, schema.discriminator?.propertyName, value), value)
  const { items, properties } = schema
  if (Array.isArray(value)) return items ? value.map((item) => decode(items, item)) : value
  if (!isObject(value) || !properties) return value
  const result: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties))
    if (Object.hasOwn(value, name)) result[name] = decode(property, value[name])
  return result
}

/** The schema keywords used in decoding. */
export interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly oneOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly discriminator?: { readonly propertyName: string }
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  /** See `sensitivity.ts`. */
  readonly sensitivity?: 'secret' | 'personal' | 'plain'
  /** Marks set by typebox. The type of some schemas has no other property. */
  readonly '~unsafe'?: unknown
  readonly '~optional'?: unknown
}

/** Excludes null and arrays. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Selects the union member that fits a value, by its tag or otherwise by its type. Returns an empty schema if
 * none fits.
 */
export function findUnionMember(
  members: readonly JsonSchema[],
  discriminator: string | undefined,
  value: unknown,
): JsonSchema {
  if (!discriminator || !isObject(value)) return members.find((m) => fits(m, value)) ?? {}
  const tag = value[discriminator]
  return members.find((m) => m.properties?.[discriminator]?.enum?.includes(tag)) ?? {}
}

function fits({ type }: JsonSchema, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer' || type === 'number') return typeof value === 'number' || typeof value === 'bigint'
  if (type === 'null') return value === null
  return type === undefined || type === typeof value
}
