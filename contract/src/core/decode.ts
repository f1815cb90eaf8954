/**
 * Turns parsed JSON that has passed validation into the values the schema's TypeScript type promises: integers of
 * `format: int64` become `bigint`, members the schema does not name are left out. The same walk serves requests
 * in the server and answers in the sdk.
 */
export function decode(schema: unknown, value: unknown): unknown {
  const s = schema as JsonSchema
  if (value === null || value === undefined) return value
  if (s.format === 'int64' && (typeof value === 'number' || typeof value === 'bigint')) return BigInt(value)
  if (s.type === 'number' && typeof value === 'bigint') return Number(value)
  const union = s.oneOf ?? s.anyOf
  if (union) return decode(memberFor(union, s.discriminator?.propertyName, value), value)
  if (Array.isArray(value)) return s.items ? value.map((item) => decode(s.items, item)) : value
  if (typeof value !== 'object' || !s.properties) return value
  const source = value as Record<string, unknown>
  const result: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(s.properties))
    if (Object.hasOwn(source, name)) result[name] = decode(property, source[name])
  return result
}

export interface JsonSchema {
  type?: string
  format?: string
  items?: unknown
  properties?: Record<string, unknown>
  additionalProperties?: unknown
  oneOf?: unknown[]
  anyOf?: unknown[]
  discriminator?: { propertyName: string }
  enum?: unknown[]
}

/** The member of a union that fits a value, by its tag or else by its type; an empty schema where none fits. */
export function memberFor(members: unknown[], discriminator: string | undefined, value: unknown): unknown {
  if (!discriminator || typeof value !== 'object') return members.find((m) => fits(m, value)) ?? {}
  const tag = (value as Record<string, unknown>)[discriminator]
  return (
    members.find((m) =>
      ((m as JsonSchema).properties?.[discriminator] as JsonSchema | undefined)?.enum?.includes(tag),
    ) ?? {}
  )
}

function fits(member: unknown, value: unknown): boolean {
  const type = (member as { type?: string }).type
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer' || type === 'number') return typeof value === 'number' || typeof value === 'bigint'
  if (type === 'null') return value === null
  return type === undefined || type === typeof value
}
