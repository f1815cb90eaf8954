import { isObject } from '../core/decode.ts'
import { OWN_KEYWORDS } from '../core/schema.ts'

type Json = Readonly<Record<string, unknown>>

const shapes = new WeakMap<object, string>()

/**
 * Returns the parts of a schema that affect validation, as text without descriptions. Schemas with the same
 * shape share a component. They are compared by shape instead of identity, because `Type.Optional` copies
 * them.
 */
export function shapeOf(schema: object): string {
  const cached = shapes.get(schema)
  if (cached !== undefined) return cached
  const shape = JSON.stringify(withoutNotes(schema, true))
  shapes.set(schema, shape)
  return shape
}

/** Returns the schema to show in the document, which may be stricter than the validation. */
export function asDocumented(node: object): object {
  return 'documentedForm' in node && isObject(node.documentedForm)
    ? { ...node, ...node.documentedForm }
    : node
}

/** Keywords that a reference repeats next to `$ref`, because they describe the place and not the shape. */
export const NOTES: ReadonlySet<string> = new Set(['description', 'default'])

function withoutNotes(node: unknown, isRoot: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutNotes(item, false))
  if (typeof node !== 'object' || node === null) return node
  const members = Object.entries(asDocumented(node)).filter(([keyword]) => !isNote(keyword, isRoot))
  return Object.fromEntries(
    members.map(([keyword, value]) => [
      keyword,
      keyword === 'properties' && isObject(value) ? withoutPropertyNotes(value) : withoutNotes(value, false),
    ]),
  )
}

function isNote(keyword: string, isRoot: boolean): boolean {
  return OWN_KEYWORDS.has(keyword) || (isRoot ? NOTES.has(keyword) : keyword === 'description')
}

/** Property names are not keywords: there may be a property called `description`. */
function withoutPropertyNotes(properties: Json): Json {
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
 * True if the schema becomes a named component: an object with properties, an enum, or a union. Constants,
 * maps and nullable schemas are inlined.
 */
export function isComponent(schema: object): boolean {
  const parts: Parts = schema
  const { properties, enum: words, oneOf, anyOf, knownWords } = parts
  const members = oneOf ?? anyOf
  if (Array.isArray(members)) return members.filter((member) => !isNull(member)).length > 1
  return properties !== undefined || knownWords !== undefined || (Array.isArray(words) && words.length > 1)
}

/**
 * True if the schema becomes a named component when it is the item type of an array. This includes constants:
 * generators turn them into enum classes, and some of these would lack a name for the array to use.
 */
export function isItemComponent(schema: object): boolean {
  const { enum: words }: Parts = schema
  return isComponent(schema) || (Array.isArray(words) && words.length > 0)
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema.type === 'null'
}
