import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { JSONObject } from '@modelcontextprotocol/server'

type Json = Readonly<Record<string, unknown>>

/** What a tool takes, as JSON Schema. */
export interface ToolInput {
  type: 'object'
  properties: Record<string, JSONObject>
  required: string[]
  additionalProperties: false
  // What the protocol's own type of a schema leaves open.
  [keyword: string]: unknown
}

/** Where an endpoint takes a member of the tool's input. */
type Part = 'params' | 'query' | 'body'

const PARTS = ['params', 'query', 'body'] as const

/** Keywords that are the contract's own; a program that reads these schemas strictly does not know them. */
const OWN_KEYWORDS: ReadonlySet<string> = new Set(['wellFormed', 'discriminator'])

const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Makes the call safe to repeat: the same key with the same input is done once. One is made where none is given.',
} as const

/** What is changed of an endpoint's own input for a tool. */
export interface InputChange {
  /** Members that the tool does not offer. */
  readonly without?: readonly string[]
  /** Members that the endpoint takes and the tool insists on. */
  readonly insistsOn?: readonly string[]
}

/** The members of path, query and body of an endpoint, side by side, as the contract has them. */
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

/** The members that stand in the path. */
export function idNames(endpoint: Endpoint): string[] {
  return Object.keys(endpoint.params?.properties ?? {})
}

/** The input of a call of the endpoint, out of the input of its tool. */
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
 * A schema of the contract in the words that everybody knows. This protocol carries numbers as doubles, so an amount ends
 * where those are exact.
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
