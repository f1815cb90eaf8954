import { isObject } from '@countersign/contract/core/decode'
import { PayloadMismatchError } from './payload-mismatch.ts'

/** What is held against a value: of any schema of the contract. */
interface Schema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly discriminator?: { readonly propertyName: string }
  /** Marks of typebox, which are all that the type of some schemas has. */
  readonly '~unsafe'?: unknown
  readonly '~optional'?: unknown
}

/**
 * The value that a schema of the contract describes, with integers of 64 bits as `bigint`. Stricter than the reading of
 * answers: a member that the schema does not name is refused, because nobody would see it. Throws PayloadMismatchError.
 */
export function readStrictly(s: Schema, value: unknown, member: string): unknown {
  if (s.oneOf ?? s.anyOf) return readStrictly(memberFor(s, value, member), value, member)
  if (s.format === 'int64') return int64(value, member)
  if (s.enum && !s.enum.includes(value)) throw new PayloadMismatchError(member, `is not one of ${s.enum}`)
  if (s.pattern !== undefined && typeof value === 'string' && !new RegExp(s.pattern, 'u').test(value))
    throw new PayloadMismatchError(member, 'does not have the right form')
  if (s.type !== undefined && !isOf(s.type, value))
    throw new PayloadMismatchError(member, `is not of type ${s.type}`)
  const { items } = s
  if (Array.isArray(value))
    return items ? value.map((item, i) => readStrictly(items, item, `${member}.${i}`)) : value
  return s.properties && isObject(value) ? object(s, value, member) : value
}

function object(
  { properties = {}, required = [] }: Schema,
  value: Readonly<Record<string, unknown>>,
  member: string,
): Record<string, unknown> {
  const inside = (name: string) => (member === '' ? name : `${member}.${name}`)
  for (const name of required)
    if (!Object.hasOwn(value, name)) throw new PayloadMismatchError(inside(name), 'is missing')
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (!known) throw new PayloadMismatchError(inside(name), 'is unknown')
      return [name, readStrictly(known, item, inside(name))]
    }),
  )
}

function int64(value: unknown, member: string): bigint {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
    const integer = BigInt(value)
    if (integer === BigInt.asIntN(64, integer)) return integer
  }
  throw new PayloadMismatchError(member, 'is not an integer of 64 bits')
}

function memberFor({ oneOf, anyOf, discriminator }: Schema, value: unknown, member: string): Schema {
  const members = oneOf ?? anyOf ?? []
  const tag = discriminator?.propertyName
  const found = members.find((one) =>
    tag === undefined
      ? isOf(one.type, value)
      : isObject(value) && one.properties?.[tag]?.enum?.includes(value[tag]),
  )
  if (!found) throw new PayloadMismatchError(member, 'is of an unknown kind')
  return found
}

function isOf(type: string | undefined, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return typeof value === 'bigint' || Number.isInteger(value)
  return type === typeof value
}
