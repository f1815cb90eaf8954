import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { JSONObject } from '@modelcontextprotocol/server'

type Json = Readonly<Record<string, unknown>>

/** The input of a tool, as JSON Schema. */
export interface ToolInput {
  type: 'object'
  properties: Record<string, JSONObject>
  required: string[]
  additionalProperties: false
  // The index signature that the protocol's type of a schema requires.
  [keyword: string]: unknown
}

/** Where an endpoint takes a member of the tool's input. */
type Part = 'params' | 'query' | 'body'

const PARTS = ['params', 'query', 'body'] as const

/** Keywords of the contract itself. A program that reads schemas strictly does not know them. */
const OWN_KEYWORDS: ReadonlySet<string> = new Set(['wellFormed', 'discriminator'])

const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Makes the call safe to repeat: the same key with the same input is executed once. Left out: generated.',
} as const

/** What is changed of an endpoint's own input for a tool. */
export interface InputChange {
  /** Members that the tool omits. */
  readonly without?: readonly string[]
  /** Members that are optional for the endpoint and required by the tool. */
  readonly insistsOn?: readonly string[]
}

/** The members of path, query and body of an endpoint in one object, as in the contract. */
export function inputOf(endpoint: Endpoint, { without = [], insistsOn = [] }: InputChange): ToolInput {
  const properties: Record<string, JSONObject> = {}
  const required = new Set(insistsOn)
  for (const [, schema] of partsOf(endpoint))
    for (const [name, property] of Object.entries(schema.properties)) {
      if (without.includes(name)) continue
      properties[name] = plain(property) as JSONObject
      if (schema.required?.includes(name)) required.add(name)
    }
  if (endpoint.idempotent) properties.idempotencyKey = IDEMPOTENCY_KEY
  return { type: 'object', properties, required: [...required], additionalProperties: false }
}

/** The members of the path. */
export function idNames(endpoint: Endpoint): string[] {
  return Object.keys(endpoint.params?.properties ?? {})
}

/** The input of a call of the endpoint, from the input of its tool. */
export function callInput(endpoint: Endpoint, args: Json): Json {
  const input: Record<string, unknown> = {}
  for (const [part, schema] of partsOf(endpoint)) {
    const own = Object.entries(args).filter(([name]) => Object.hasOwn(schema.properties, name))
    input[part] = Object.fromEntries(own)
  }
  return endpoint.idempotent && args.idempotencyKey !== undefined
    ? { ...input, idempotencyKey: args.idempotencyKey }
    : input
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
}

function partsOf(endpoint: Endpoint): [Part, ObjectSchema][] {
  return PARTS.flatMap((part): [Part, ObjectSchema][] => {
    const schema = endpoint[part] as ObjectSchema | undefined
    return schema ? [[part, schema]] : []
  })
}

/**
 * A schema of the contract in standard JSON Schema. This protocol carries numbers as doubles, so amounts are limited to
 * the exact ones.
 */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).filter(([name]) => !OWN_KEYWORDS.has(name))
  const result = Object.fromEntries(members.map(([name, value]) => [name, plain(value)]))
  if (result.format !== 'int64') return result
  const { format: _, ...integer } = result
  return { maximum: Number.MAX_SAFE_INTEGER, ...integer }
}
