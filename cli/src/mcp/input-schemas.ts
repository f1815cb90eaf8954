import { isObject } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'

type Json = Readonly<Record<string, unknown>>

/**
 * A schema that uses only keywords supported by JSON Schema, OpenAI's strict functions and Gemini's
 * functions. The rest of the contract's schema goes into the description, and the API validates it.
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
 * A tool's input. Strict functions require every field to be in `required`, so an optional field accepts null
 * instead.
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

/** Fields that no tool has, because the API fills them in: an agent acts for one customer. */
const FILLED_IN: ReadonlySet<string> = new Set(['customerId'])

const IDEMPOTENCY_KEY: ToolMember = {
  name: 'idempotencyKey',
  isOptional: true,
  schema: {
    type: 'string',
    description: 'The same key with the same input is executed once, so the call is safe to repeat',
  },
}

/** The differences between a tool's input and its endpoint's. */
export interface InputChange {
  /** Fields that the tool omits. */
  readonly without?: readonly string[]
  /** Fields that are optional for the endpoint but required by the tool. */
  readonly insistsOn?: readonly string[]
  /** Descriptions that replace the endpoint's, which are written for users of the HTTP API. */
  readonly describes?: Readonly<Record<string, string>>
  /** Fields that only the tool has. */
  readonly adds?: readonly ToolMember[]
}

/** Collects the input fields of a tool from the path, query and body of its endpoint. */
export function listMembers(
  endpoint: Endpoint,
  { without = [], insistsOn = [], describes = {}, adds = [] }: InputChange,
): ToolMember[] {
  const endpointMembers = PARTS.flatMap((part) => {
    const { properties, required } = getObjectParts(endpoint[part])
    return Object.entries(properties)
      .filter(([name]) => !without.includes(name) && !FILLED_IN.has(name))
      .map(([name, schema]) =>
        toToolMember(name, schema, !required.includes(name) && !insistsOn.includes(name)),
      )
      .map((member) => addDescription(member, describes[member.name]))
  })
  return [...endpointMembers, ...adds, ...(endpoint.idempotent ? [IDEMPOTENCY_KEY] : [])]
}

/** Builds the schema of an object with these fields. */
export function toInputSchema(members: readonly ToolMember[]): ToolInput {
  return {
    type: 'object',
    properties: Object.fromEntries(
      members.map(({ name, schema, isOptional }) => [name, isOptional ? allowNull(schema) : schema]),
    ),
    required: members.map(({ name }) => name),
    additionalProperties: false,
  }
}

/** Names of the path parameters. */
export function listPathParameters(endpoint: Endpoint): string[] {
  return Object.keys(getObjectParts(endpoint.params).properties)
}

/** Converts a tool's input, without nulls, to the input of the endpoint call. */
export function toCallInput(endpoint: Endpoint, args: Json): Json {
  const input: Record<string, unknown> = {}
  for (const part of PARTS) {
    if (endpoint[part] === undefined) continue
    const { properties } = getObjectParts(endpoint[part])
    const partArgs = Object.entries(args).filter(([name]) => Object.hasOwn(properties, name))
    input[part] = Object.fromEntries(
      partArgs.map(([name, value]) => [name, isFreeForm(properties[name]) ? fromPairs(value) : value]),
    )
  }
  return endpoint.idempotent && args.idempotencyKey !== undefined
    ? { ...input, idempotencyKey: args.idempotencyKey }
    : input
}

/** Removes null fields at every level, because null stands for an omitted field. */
export function removeNulls(object: Json): Json {
  const present = Object.entries(object).filter(([, value]) => value !== null)
  return Object.fromEntries(present.map(([name, value]) => [name, cleanValue(value)]))
}

function cleanValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleanValue)
  return isObject(value) ? removeNulls(value) : value
}

function getObjectParts(schema: unknown): { properties: Json; required: readonly unknown[] } {
  if (!isObject(schema)) return { properties: {}, required: [] }
  const { properties, required } = schema
  return {
    properties: isObject(properties) ? properties : {},
    required: Array.isArray(required) ? required : [],
  }
}

function toToolMember(name: string, schema: unknown, isOptional: boolean): ToolMember {
  return { name, isOptional, schema: toToolSchema(schema, isOptional) }
}

function addDescription(member: ToolMember, description = member.schema.description): ToolMember {
  return description === undefined ? member : { ...member, schema: { ...member.schema, description } }
}

/** Converts a contract schema to the commonly supported keywords. */
function toToolSchema(schema: unknown, isOptional = false): ToolSchema {
  if (!isObject(schema)) throw new Error('Every tool field needs a schema.')
  const description = describe(schema, isOptional)
  const descriptionField = description === '' ? {} : { description }
  const { type, oneOf, items } = schema
  if (Array.isArray(oneOf))
    return { ...descriptionField, anyOf: oneOf.map((alternative) => toToolSchema(alternative)) }
  if (isFreeForm(schema)) return { ...descriptionField, ...PAIRS }
  if (type === 'object') return { ...descriptionField, ...toInputSchema(listNestedMembers(schema)) }
  if (typeof type !== 'string') throw new Error(`Tool fields of type ${String(type)} are not supported.`)
  return {
    type,
    ...descriptionField,
    ...(Array.isArray(schema.enum) ? { enum: schema.enum.map(String) } : {}),
    ...(type === 'integer' ? getBounds(schema) : {}),
    ...(items === undefined ? {} : { items: toToolSchema(items) }),
    ...(typeof schema.maxItems === 'number' ? { maxItems: schema.maxItems } : {}),
  }
}

function listNestedMembers(schema: Json): ToolMember[] {
  const { properties, required } = getObjectParts(schema)
  return Object.entries(properties)
    .filter(([name]) => !FILLED_IN.has(name))
    .map(([name, property]) => toToolMember(name, property, !required.includes(name)))
}

/** MCP transmits numbers as doubles, so amounts are limited to integers that a double represents exactly. */
function getBounds({ minimum, exclusiveMinimum, maximum, format }: Json): ToolSchema {
  const min = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : minimum
  const max = typeof maximum === 'number' ? maximum : format === 'int64' ? Number.MAX_SAFE_INTEGER : undefined
  return {
    ...(typeof min === 'number' ? { minimum: min } : {}),
    ...(max === undefined ? {} : { maximum: max }),
  }
}

/** Introduces what an absent field means, in the contract's descriptions. */
const ABSENT = /\b(?:Default|Omitted|Absent): /
const DATE_TIME = 'A date-time in UTC, like 2026-01-31T12:00:00Z'

/** Describes a field: its format, its meaning, and the meaning of null if it is optional. */
function describe(
  { description, patternText, format, default: fallback }: Json,
  isOptional: boolean,
): string {
  const originalText = typeof description === 'string' ? description : ''
  // The tool may require a field that is optional for the endpoint.
  const meaning = isOptional ? originalText.replace(ABSENT, 'null: ') : (originalText.split(ABSENT)[0] ?? '')
  const form =
    format === 'date-time' ? DATE_TIME : typeof patternText === 'string' ? capitalize(patternText) : ''
  const defaultText = isOptional && fallback !== undefined ? `null: ${fallback}` : ''
  return [form, meaning.replace(/\.? *$/, ''), defaultText].filter((words) => words !== '').join('. ')
}

const capitalize = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** Extends a schema to accept null. */
function allowNull(schema: ToolSchema): ToolSchema {
  const { description, ...rest } = schema
  const descriptionField = description === undefined ? {} : { description }
  if (rest.anyOf) return { ...descriptionField, anyOf: [...rest.anyOf, NULL] }
  if (rest.enum || typeof rest.type !== 'string') return { ...descriptionField, anyOf: [rest, NULL] }
  return { ...schema, type: [rest.type, 'null'] }
}

const NULL: ToolSchema = { type: 'null' }

/**
 * True for an object with arbitrary field names. Strict functions need fixed names, so a tool takes
 * name-value pairs instead.
 */
function isFreeForm(schema: unknown): boolean {
  return isObject(schema) && schema.type === 'object' && schema.additionalProperties === true
}

const PAIRS: ToolSchema = {
  type: 'array',
  items: toInputSchema([
    { name: 'name', schema: { type: 'string' }, isOptional: false },
    { name: 'value', schema: { type: 'string' }, isOptional: false },
  ]),
}

/** Converts name-value pairs to an object. Returns anything else unchanged for the API to validate. */
function fromPairs(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const pairs = value.flatMap((pair) =>
    isObject(pair) && typeof pair.name === 'string' ? [[pair.name, pair.value] as const] : [],
  )
  return pairs.length === value.length ? Object.fromEntries(pairs) : value
}
