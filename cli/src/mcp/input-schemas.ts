import { isObject } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'

type Json = Readonly<Record<string, unknown>>

/**
 * A schema in the keywords that JSON Schema, the strict functions of OpenAI and the functions of Gemini have in common.
 * Everything else in the contract's schema goes into the description, and the API checks it.
 */
export type ToolSchema = {
  type?: string | string[]
  description?: string
  enum?: string[]
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: ToolSchema
  anyOf?: ToolSchema[]
  properties?: Record<string, ToolSchema>
  required?: string[]
  additionalProperties?: false
}

/**
 * The input of a tool. Every field is in `required`, as strict functions demand; an optional one takes null.
 */
export type ToolInput = {
  type: 'object'
  properties: Record<string, ToolSchema>
  required: string[]
  additionalProperties: false
}

/** A tool's input field. */
export interface ToolMember {
  readonly name: string
  readonly schema: ToolSchema
  readonly isOptional: boolean
}

const PARTS = ['params', 'query', 'body'] as const

/** Fields that no tool has: an agent acts for one customer, whom the API fills in. */
const FILLED_IN: ReadonlySet<string> = new Set(['customerId'])

const IDEMPOTENCY_KEY: ToolMember = {
  name: 'idempotencyKey',
  isOptional: true,
  schema: {
    type: 'string',
    description: 'The same key with the same input is executed once, so the call is safe to repeat',
  },
}

/** The differences between the input of a tool and the input of its endpoint. */
export interface InputChange {
  /** Fields that the tool omits. */
  readonly without?: readonly string[]
  /** Fields that are optional for the endpoint and required by the tool. */
  readonly insistsOn?: readonly string[]
  /** Descriptions in place of the endpoint's, which are for readers of its HTTP interface. */
  readonly describes?: Readonly<Record<string, string>>
  /** Fields that only the tool has. */
  readonly adds?: readonly ToolMember[]
}

/** The fields of path, query and body of an endpoint, as a tool takes them. */
export function membersOf(
  endpoint: Endpoint,
  { without = [], insistsOn = [], describes = {}, adds = [] }: InputChange,
): ToolMember[] {
  const own = PARTS.flatMap((part) => {
    const { properties, required } = objectParts(endpoint[part])
    return Object.entries(properties)
      .filter(([name]) => !without.includes(name) && !FILLED_IN.has(name))
      .map(([name, schema]) => member(name, schema, !required.includes(name) && !insistsOn.includes(name)))
      .map((one) => withDescription(one, describes[one.name]))
  })
  return [...own, ...adds, ...(endpoint.idempotent ? [IDEMPOTENCY_KEY] : [])]
}

/** The schema of an object with these fields. */
export function inputOf(members: readonly ToolMember[]): ToolInput {
  return {
    type: 'object',
    properties: Object.fromEntries(
      members.map(({ name, schema, isOptional }) => [name, isOptional ? nullable(schema) : schema]),
    ),
    required: members.map(({ name }) => name),
    additionalProperties: false,
  }
}

/** The fields of the path. */
export function idNames(endpoint: Endpoint): string[] {
  return Object.keys(objectParts(endpoint.params).properties)
}

/** The endpoint call's input, made from its tool's input without nulls. */
export function callInput(endpoint: Endpoint, args: Json): Json {
  const input: Record<string, unknown> = {}
  for (const part of PARTS) {
    if (endpoint[part] === undefined) continue
    const { properties } = objectParts(endpoint[part])
    const own = Object.entries(args).filter(([name]) => Object.hasOwn(properties, name))
    input[part] = Object.fromEntries(
      own.map(([name, value]) => [name, isFreeForm(properties[name]) ? fromPairs(value) : value]),
    )
  }
  return endpoint.idempotent && args.idempotencyKey !== undefined
    ? { ...input, idempotencyKey: args.idempotencyKey }
    : input
}

/** An object without its null fields, at every level: null means that a field is omitted. */
export function withoutNulls(object: Json): Json {
  const given = Object.entries(object).filter(([, value]) => value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name, cleanValue(value)]))
}

function cleanValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleanValue)
  return isObject(value) ? withoutNulls(value) : value
}

function objectParts(schema: unknown): { properties: Json; required: readonly unknown[] } {
  if (!isObject(schema)) return { properties: {}, required: [] }
  const { properties, required } = schema
  return {
    properties: isObject(properties) ? properties : {},
    required: Array.isArray(required) ? required : [],
  }
}

function member(name: string, schema: unknown, isOptional: boolean): ToolMember {
  return { name, isOptional, schema: toToolSchema(schema, isOptional) }
}

function withDescription(one: ToolMember, description = one.schema.description): ToolMember {
  return description === undefined ? one : { ...one, schema: { ...one.schema, description } }
}

/** A schema of the contract in the common keywords. */
function toToolSchema(schema: unknown, isOptional = false): ToolSchema {
  if (!isObject(schema)) throw new Error('A tool takes no member without a schema.')
  const description = describe(schema, isOptional)
  const words = description === '' ? {} : { description }
  const { type, oneOf, items } = schema
  if (Array.isArray(oneOf)) return { ...words, anyOf: oneOf.map((one) => toToolSchema(one)) }
  if (isFreeForm(schema)) return { ...words, ...PAIRS }
  if (type === 'object') return { ...words, ...inputOf(listNestedMembers(schema)) }
  if (typeof type !== 'string') throw new Error(`A tool takes no member of type ${String(type)}.`)
  return {
    type,
    ...words,
    ...(Array.isArray(schema.enum) ? { enum: schema.enum.map(String) } : {}),
    ...(type === 'integer' ? boundsOf(schema) : {}),
    ...(items === undefined ? {} : { items: toToolSchema(items) }),
    ...(typeof schema.maxItems === 'number' ? { maxItems: schema.maxItems } : {}),
  }
}

function listNestedMembers(schema: Json): ToolMember[] {
  const { properties, required } = objectParts(schema)
  return Object.entries(properties)
    .filter(([name]) => !FILLED_IN.has(name))
    .map(([name, one]) => member(name, one, !required.includes(name)))
}

/** This protocol carries numbers as doubles, so amounts are limited to the exact ones. */
function boundsOf({ minimum, exclusiveMinimum, maximum, format }: Json): ToolSchema {
  const least = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : minimum
  const most =
    typeof maximum === 'number' ? maximum : format === 'int64' ? Number.MAX_SAFE_INTEGER : undefined
  return {
    ...(typeof least === 'number' ? { minimum: least } : {}),
    ...(most === undefined ? {} : { maximum: most }),
  }
}

const LEFT_OUT = /\bLeft out: /
const DATE_TIME = 'A date-time in UTC, like 2026-01-31T12:00:00Z'

/** The description of a field, with its form in words, and the meaning of null if it is optional. */
function describe(
  { description, patternText, format, default: fallback }: Json,
  isOptional: boolean,
): string {
  const given = typeof description === 'string' ? description : ''
  // The contract says "Left out: …" about a field that is optional for the endpoint; a tool may require it.
  const own = isOptional ? given.replace(LEFT_OUT, 'null: ') : (given.split(LEFT_OUT)[0] ?? '')
  const form =
    format === 'date-time' ? DATE_TIME : typeof patternText === 'string' ? capitalize(patternText) : ''
  const absent = isOptional && fallback !== undefined ? `null: ${fallback}` : ''
  return [form, own.replace(/\.? *$/, ''), absent].filter((words) => words !== '').join('. ')
}

const capitalize = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** Makes a schema also accept null. */
function nullable(schema: ToolSchema): ToolSchema {
  const { description, ...rest } = schema
  const words = description === undefined ? {} : { description }
  if (rest.anyOf) return { ...words, anyOf: [...rest.anyOf, NULL] }
  if (rest.enum || typeof rest.type !== 'string') return { ...words, anyOf: [rest, NULL] }
  return { ...schema, type: [rest.type, 'null'] }
}

const NULL: ToolSchema = { type: 'null' }

/** An object with names of the caller's choice. Strict functions have fixed names, so a tool takes pairs. */
function isFreeForm(schema: unknown): boolean {
  return isObject(schema) && schema.type === 'object' && schema.additionalProperties === true
}

const PAIRS: ToolSchema = {
  type: 'array',
  items: inputOf([
    { name: 'name', schema: { type: 'string' }, isOptional: false },
    { name: 'value', schema: { type: 'string' }, isOptional: false },
  ]),
}

/** The object of these pairs. Anything else is unchanged, so that the API validates it. */
function fromPairs(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const pairs = value.flatMap((pair) =>
    isObject(pair) && typeof pair.name === 'string' ? [[pair.name, pair.value] as const] : [],
  )
  return pairs.length === value.length ? Object.fromEntries(pairs) : value
}
