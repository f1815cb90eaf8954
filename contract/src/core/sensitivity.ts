import type { TSchema } from 'typebox'
import { isObject, type JsonSchema } from './decode.ts'

/**
 * The schema keyword `sensitivity`, which the request log, the audit trail, the logs and erasure obey.
 * `secret` gives its reader access to something, `personal` may identify or describe a person, and `plain` is
 * text that is neither.
 */
export type Sensitivity = NonNullable<JsonSchema['sensitivity']>

export function Secret<T extends TSchema>(schema: T): T {
  return withSensitivity(schema, 'secret')
}

export function Personal<T extends TSchema>(schema: T): T {
  return withSensitivity(schema, 'personal')
}

export function Plain<T extends TSchema>(schema: T): T {
  return withSensitivity(schema, 'plain')
}

/** Copies the schema and adds the keyword. A spread would lose typebox's own marks. */
function withSensitivity<T extends TSchema>(schema: T, sensitivity: Sensitivity): T {
  return Object.create(Object.getPrototypeOf(schema), {
    ...Object.getOwnPropertyDescriptors(schema),
    sensitivity: { value: sensitivity, enumerable: true, configurable: true, writable: true },
  })
}

/** Resolves unions to the members that the value may be. With an unknown tag, it may be any of them. */
export function alternatives(schema: JsonSchema, value: unknown): readonly JsonSchema[] {
  const union = schema.oneOf ?? schema.anyOf
  if (!union || schema.sensitivity) return [schema]
  const tag = schema.discriminator?.propertyName
  const word = tag !== undefined && isObject(value) ? value[tag] : undefined
  const named =
    tag === undefined ? [] : union.filter((member) => member.properties?.[tag]?.enum?.includes(word))
  return (named.length > 0 ? named : union).flatMap((member) => alternatives(member, value))
}

const PLAIN_TYPES: ReadonlySet<string> = new Set(['integer', 'number', 'boolean', 'null'])

/**
 * Returns the sensitivity of a value. Undefined for an object, an array or a union with properties. Unmarked
 * text is personal unless it is a fixed word or a time, so a forgotten mark hides the value.
 */
export function getSensitivity(schema: JsonSchema): Sensitivity | undefined {
  if (schema.sensitivity) return schema.sensitivity
  if (schema.properties ?? schema.items ?? schema.oneOf ?? schema.anyOf) return undefined
  if (schema.enum ?? schema.format === 'date-time') return 'plain'
  const types = typesOf(schema)
  return types.length > 0 && types.every((type) => PLAIN_TYPES.has(type)) ? 'plain' : 'personal'
}

/** The types of a schema, of which there are two if it allows null. */
export function typesOf({ type }: { readonly type?: string | readonly string[] }): readonly string[] {
  return type === undefined ? [] : typeof type === 'string' ? [type] : type
}
