import type { TSchema } from 'typebox'
import { isObject, type JsonSchema } from './decode.ts'

/**
 * The keyword `sensitivity` of a schema, which the request log, the audit trail, the logs and erasure follow. `secret` grants something to
 * its reader, `personal` may be about a person, `plain` is neither, although it is text.
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

/** A copy with the keyword. A spread would omit typebox's own marks. */
function withSensitivity<T extends TSchema>(schema: T, sensitivity: Sensitivity): T {
  return Object.create(Object.getPrototypeOf(schema), {
    ...Object.getOwnPropertyDescriptors(schema),
    sensitivity: { value: sensitivity, enumerable: true, configurable: true, writable: true },
  })
}

/** A schema without unions. A value with an unknown tag may be any member. */
export function alternatives(schema: JsonSchema, value: unknown): readonly JsonSchema[] {
  const union = schema.oneOf ?? schema.anyOf
  if (!union || schema.sensitivity) return [schema]
  const tag = schema.discriminator?.propertyName
  const word = tag !== undefined && isObject(value) ? value[tag] : undefined
  const named = tag === undefined ? [] : union.filter((one) => one.properties?.[tag]?.enum?.includes(word))
  return (named.length > 0 ? named : union).flatMap((one) => alternatives(one, value))
}

const PLAIN_TYPES: ReadonlySet<string> = new Set(['integer', 'number', 'boolean', 'null'])

/**
 * The sensitivity of a value; undefined for an object, list or union with properties. Text without a mark is personal, unless it is a fixed
 * word or a time, so a forgotten mark hides the value.
 */
export function sensitivityOf(schema: JsonSchema): Sensitivity | undefined {
  if (schema.sensitivity) return schema.sensitivity
  if (schema.properties ?? schema.items ?? schema.oneOf ?? schema.anyOf) return undefined
  if (schema.enum ?? schema.format === 'date-time') return 'plain'
  const types = typesOf(schema)
  return types.length > 0 && types.every((type) => PLAIN_TYPES.has(type)) ? 'plain' : 'personal'
}

/** The types of a schema: two if it may be null. */
export function typesOf({ type }: { readonly type?: string | readonly string[] }): readonly string[] {
  return type === undefined ? [] : typeof type === 'string' ? [type] : type
}
