import { isObject } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { NAMED_SCHEMAS } from '@countersign/contract/document/openapi-names'
import { references } from '@countersign/contract/document/references'
import { isAmountName, STATUS_IN_WORDS, wordsMember } from './answer-words.ts'

type Json = Readonly<Record<string, unknown>>
type Definitions = Record<string, unknown>

/** The answer of a tool, as JSON Schema. Schemas that the contract names are in `$defs`, each once. */
export interface ToolOutput {
  type: 'object'
  // The index signature that the protocol's type of a schema requires.
  [keyword: string]: unknown
}

/**
 * What a reader of an answer needs. The bounds of each text are for those who write it, and would make the list of tools ten times as
 * long; a discriminator is no keyword of JSON Schema.
 */
const KEPT: ReadonlySet<string> = new Set(['type', 'enum', 'const', 'required', 'items', 'description'])

/** A union of more is shown as one object. The forty types of an account would be nine tenths of the list of tools. */
const ALTERNATIVES_MAX = 8

const REFERENCE = '#/components/schemas/'

/** The success of an endpoint, with the words that `withWords` adds. */
export function outputOf(endpoint: Endpoint): ToolOutput {
  const known = outputs.get(endpoint)
  if (known) return known
  const output = makeOutput(endpoint)
  outputs.set(endpoint, output)
  return output
}

const outputs = new Map<Endpoint, ToolOutput>()

function makeOutput(endpoint: Endpoint): ToolOutput {
  const [answer] = Object.values(endpoint.responses)
  const $defs: Definitions = {}
  const { refer, named } = schemasByName()
  const found = refer(answer) as Json
  const root = isReference(found) ? named[nameOf(found.$ref)] : found
  const schema = readable(root, $defs) as Json
  return { ...schema, type: 'object', ...(Object.keys($defs).length > 0 ? { $defs } : {}) }
}

const nameOf = (reference: string) => reference.slice(REFERENCE.length)

let made: { readonly refer: (node: unknown) => unknown; readonly named: Json } | undefined

/** Made at the first use, so that no other command waits for it. */
function schemasByName() {
  if (made) return made
  const { refer, components } = references(NAMED_SCHEMAS)
  made = { refer, named: components() }
  return made
}

/** A schema for readers, in which references lead to `$defs`, to which it adds what they name. */
function readable(schema: unknown, $defs: Definitions): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, format, properties, oneOf, anyOf, additionalProperties, ...rest } = schema as Json
  if (typeof $ref === 'string') return define(nameOf($ref), $defs)
  if (format === 'int64') return { ...kept(rest, $defs), type: ['integer', 'string'] }
  const members = oneOf ?? anyOf
  if (Array.isArray(members) && members.length > ALTERNATIVES_MAX) return readable(eitherOf(members), $defs)
  return {
    ...kept(rest, $defs),
    ...(format === 'date-time' ? { format } : {}),
    // Alternatives that differ by their bounds alone are alike here.
    ...(Array.isArray(members) ? { anyOf: members.map((one) => readable(one, $defs)) } : {}),
    ...(properties === undefined ? {} : { properties: propertiesOf(schema as Json, $defs) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: readable(additionalProperties, $defs) }
      : {}),
  }
}

function kept(rest: Json, $defs: Definitions): Json {
  const members = Object.entries(rest).filter(([name]) => KEPT.has(name))
  return Object.fromEntries(
    members.map(([name, value]) => [name, name === 'items' ? readable(value, $defs) : value]),
  )
}

/** A schema that takes what any of these takes, and is not much longer than one of them. */
function eitherOf(schemas: readonly Json[]): Json {
  const { named } = schemasByName()
  const all = schemas.map((one) => (isReference(one) ? named[nameOf(one.$ref)] : one) as Json)
  const types = new Set(all.map(({ type }) => type))
  const [type] = types
  if (types.size === 1 && type === 'array')
    return { type, items: eitherOf(all.map(({ items }) => items as Json)) }
  if (types.size === 1 && type === 'object' && all.every(({ properties }) => isObject(properties)))
    return allMembersOf(all)
  if (types.size === 1 && type === 'string') {
    const words = all.flatMap((one) => (Array.isArray(one.enum) ? one.enum : []))
    return all.every((one) => one.enum) ? { type, enum: [...new Set(words)] } : { type }
  }
  const different = [...new Map(schemas.map((one) => [JSON.stringify(one), one])).values()]
  return different.length === 1 ? different[0]! : { anyOf: different }
}

/** One object in place of several: the members of each, required where each requires them. */
function allMembersOf(objects: readonly Json[]): Json {
  const schemasOf = new Map<string, Json[]>()
  for (const { properties } of objects)
    for (const [name, property] of Object.entries(properties as Readonly<Record<string, Json>>))
      schemasOf.set(name, [...(schemasOf.get(name) ?? []), property])
  const isRequired = (name: string) =>
    objects.every(({ required }) => Array.isArray(required) && required.includes(name))
  return {
    type: 'object',
    required: [...schemasOf.keys()].filter(isRequired),
    properties: Object.fromEntries([...schemasOf].map(([name, found]) => [name, eitherOf(found)])),
  }
}

function isReference(schema: Json): schema is Json & { readonly $ref: string } {
  return typeof schema.$ref === 'string'
}

function define(name: string, $defs: Definitions): Json {
  if (!Object.hasOwn($defs, name)) {
    // There before the schema itself, which may contain a reference to it.
    $defs[name] = undefined
    $defs[name] = readable(schemasByName().named[name], $defs)
  }
  return { $ref: `#/$defs/${name}` }
}

function propertiesOf(schema: Json, $defs: Definitions): Json {
  const members = Object.entries(schema.properties as Json).flatMap(([name, property]) => {
    const own = [[name, readable(property, $defs)]]
    return isAmountName(name) && holdsAmount(property) ? [...own, [wordsMember(name), WORDS]] : own
  })
  if (schema === schemasByName().named.AgentAction) members.push([STATUS_IN_WORDS, SENTENCE])
  return Object.fromEntries(members)
}

const WORDS = { type: 'string', description: 'The amount for a person: 25.00 USD' }
const SENTENCE = { type: 'string', description: 'PENDING_APPROVAL: what that means, to tell the user' }

function holdsAmount(property: unknown): boolean {
  if (typeof property !== 'object' || property === null) return false
  const { format, anyOf } = property as Json
  return format === 'int64' || (Array.isArray(anyOf) && anyOf.some(holdsAmount))
}
