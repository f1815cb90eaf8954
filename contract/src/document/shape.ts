import { isObject } from '../core/decode.ts'
import { OWN_KEYWORDS } from '../core/schema.ts'

type Json = Readonly<Record<string, unknown>>

const shapes = new WeakMap<object, string>()

/**
 * The parts of a schema that validate, as text, without descriptions. Two schemas with the same shape are one
 * component. Schemas are found by shape and not by identity, because `Type.Optional` copies them.
 */
export function shapeOf(schema: object): string {
  const known = shapes.get(schema)
  if (known !== undefined) return known
  const shape = JSON.stringify(withoutNotes(schema, true))
  shapes.set(schema, shape)
  return shape
}

/** A schema as the document shows it, if the validation accepts more. */
export function asDocumented(node: object): object {
  return 'documentedForm' in node && isObject(node.documentedForm)
    ? { ...node, ...node.documentedForm }
    : node
}

/** The keywords that a reference repeats next to itself, because they belong to the place and not to the shape. */
export const NOTES: ReadonlySet<string> = new Set(['description', 'default'])

function withoutNotes(node: unknown, isRoot: boolean): unknown {
  if (Array.isArray(node)) return node.map((one) => withoutNotes(one, false))
  if (typeof node !== 'object' || node === null) return node
  const members = Object.entries(asDocumented(node)).filter(([keyword]) => !isNote(keyword, isRoot))
  return Object.fromEntries(
    members.map(([keyword, value]) => [
      keyword,
      keyword === 'properties' && isObject(value) ? ofProperties(value) : withoutNotes(value, false),
    ]),
  )
}

function isNote(keyword: string, isRoot: boolean): boolean {
  return OWN_KEYWORDS.has(keyword) || (isRoot ? NOTES.has(keyword) : keyword === 'description')
}

/** Names of properties are not keywords: a property may be called `description`. */
function ofProperties(properties: Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, withoutNotes(schema, false)]),
  )
}

interface Parts {
  readonly properties?: unknown
  readonly enum?: unknown
  readonly oneOf?: unknown
  readonly anyOf?: unknown
  readonly knownWords?: unknown
}

/**
 * True if a schema becomes a component with a name: an object with properties, an enum, a union. A constant,
 * a map and a nullable schema are written inline.
 */
export function isComponent(schema: object): boolean {
  const parts: Parts = schema
  const { properties, enum: words, oneOf, anyOf, knownWords } = parts
  const members = oneOf ?? anyOf
  if (Array.isArray(members)) return members.filter((one) => !isNull(one)).length > 1
  return properties !== undefined || knownWords !== undefined || (Array.isArray(words) && words.length > 1)
}

/**
 * True if a schema becomes a component as the items of an array. A constant does too: generators make an enum
 * class of it, and some give the class no name that the array can use.
 */
export function isItemComponent(schema: object): boolean {
  const { enum: words }: Parts = schema
  return isComponent(schema) || (Array.isArray(words) && words.length > 0)
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema.type === 'null'
}
