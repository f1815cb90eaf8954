import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import fc from 'fast-check'
import { parseBody } from '../../../src/edge/http/request/json-body.ts'
import { createParser, STRICTLY } from '../../../src/edge/http/request/parse.ts'
import { ApiError } from '../../../src/kernel/operation/operation.ts'

/** All endpoints as data, so that a new endpoint in the contract is tested without further code. */
export const ENDPOINTS: readonly (readonly [name: EndpointName, endpoint: Endpoint])[] =
  Object.entries<Endpoint>(API).map(([name, endpoint]) => [name as EndpointName, endpoint])

/** The keywords that the contract's schemas use. */
export interface JsonSchema {
  /** A list of two types if the value may also be `null`. */
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly oneOf?: readonly JsonSchema[]
  readonly discriminator?: { readonly propertyName: string }
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly wellFormed?: boolean | 'line' | 'prose'
  readonly judgedByHandler?: boolean
}

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

const TEXT_BY_FORMAT: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  date: '1990-12-10',
  'date-time': '2026-01-02T03:04:05Z',
  uri: 'https://example.com/a',
}

/** Returns the type that a schema accepts, ignoring `null`. */
export function typeOf({ type }: JsonSchema): string | undefined {
  return typeof type === 'object' ? type[0] : type
}

/**
 * Builds values that a schema accepts, with every optional field. Together they cover every member of every union.
 */
export function samples(schema: JsonSchema): Json[] {
  if (schema.oneOf) return schema.oneOf.flatMap(samples)
  if (schema.enum) return [schema.enum[0]!]
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, member]) => [name, samples(member)] as const)
    const count = Math.max(1, ...fields.map(([, values]) => values.length))
    return Array.from({ length: count }, (_, index) =>
      Object.fromEntries(fields.map(([name, values]) => [name, values[index % values.length]!])),
    )
  }
  const type = typeOf(schema)
  if (type === 'array')
    return samples(schema.items!).map((item) => new Array<Json>(Math.max(1, schema.minItems ?? 0)).fill(item))
  if (type === 'string') return [buildSampleText(schema)]
  if (type === 'integer') return [Math.max(schema.minimum ?? 1, (schema.exclusiveMinimum ?? 0) + 1)]
  if (type === 'boolean') return [true]
  return [{ any: 'thing' }]
}

function buildSampleText({ format, pattern, minLength = 0 }: JsonSchema): string {
  if (format) return TEXT_BY_FORMAT[format]!
  if (!pattern) return 'text'.padEnd(minLength, 'x')
  const generated = textsByPattern.get(pattern) ?? generateText(pattern)
  textsByPattern.set(pattern, generated)
  return generated
}

/** An uncompressed point. A pattern cannot check that it is on the curve. */
const P256_POINT =
  '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296' +
  '4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5'
const textsByPattern = new Map<string, string>([['^04[0-9a-fA-F]{128}$', P256_POINT]])

function generateText(pattern: string): string {
  const matching = fc
    .stringMatching(new RegExp(pattern, 'u'))
    .filter((text) => !text.includes('\u0000') && text.length < 200)
  return fc.sample(matching, { seed: 1, numRuns: 1 })[0]!
}

/** A field of a sample: its path, its schema, and whether it is required. */
export interface Member {
  readonly path: readonly (string | number)[]
  readonly schema: JsonSchema
  readonly required: boolean
}

/** Lists every field of a sample. In a union, the sample's tag selects the schema. */
export function membersOf(schema: JsonSchema, value: Json, path: Member['path'] = []): Member[] {
  if (schema.oneOf) return membersOf(selectByTag(schema, value), value, path)
  if (Array.isArray(value))
    return value.flatMap((item, index) => [
      { path: [...path, index], schema: schema.items!, required: false },
      ...membersOf(schema.items!, item, [...path, index]),
    ])
  if (!schema.properties) return []
  const present = Object.entries(schema.properties).filter(([name]) => Object.hasOwn(value as object, name))
  return present.flatMap(([name, member]) => [
    { path: [...path, name], schema: member, required: schema.required?.includes(name) ?? false },
    ...membersOf(member, (value as Record<string, Json>)[name]!, [...path, name]),
  ])
}

function selectByTag({ oneOf, discriminator }: JsonSchema, value: Json): JsonSchema {
  const tag = discriminator!.propertyName
  const tagValue = (value as Record<string, string>)[tag]!
  return oneOf!.find(({ properties }) => properties![tag]!.enum!.includes(tagValue))!
}

const RAW_PLACEHOLDER = '\uE000mark\uE000'

/** Writes a sample as JSON text, with one field replaced by raw JSON text. */
export function withRaw(value: Json, path: Member['path'], raw: string): string {
  return JSON.stringify(replaceAt(value, path, () => RAW_PLACEHOLDER)).replace(
    `"${RAW_PLACEHOLDER}"`,
    () => raw,
  )
}

/** Copies a sample without one field. */
export function without(value: Json, path: Member['path']): Json {
  return replaceAt(value, path, () => undefined)!
}

function replaceAt(
  value: Json | undefined,
  path: Member['path'],
  change: (old: Json | undefined) => Json | undefined,
): Json | undefined {
  const [name, ...innerPath] = path
  if (name === undefined) return change(value)
  if (Array.isArray(value))
    return value.map((item, at) => (at === name ? replaceAt(item, innerPath, change)! : item))
  const copy = { ...(value as Record<string, Json>) }
  const next = replaceAt(copy[name], innerPath, change)
  if (next === undefined) delete copy[name]
  else copy[name] = next
  return copy
}

const WRONG_TYPES: Readonly<Record<string, readonly string[]>> = {
  string: ['1', 'true', 'null', '[]', '{}', '["text"]'],
  integer: ['"1"', 'true', 'null', '[]', '{}', '[1]', '1.5', '""', '1e400', '-1e400'],
  boolean: ['"true"', '1', '0', 'null', '[]', '{}'],
  array: ['"text"', '1', 'true', 'null', '{}'],
  object: ['"text"', '1', 'true', 'null', '[]', '[{}]', '[1]'],
}

/** Lists JSON values that a field's schema rejects. */
export function badValues(schema: JsonSchema): string[] {
  const type = typeOf(schema) ?? 'object'
  const isNullable = schema.type?.includes('null')
  const bad = WRONG_TYPES[type]!.filter((text) => !(isNullable && text === 'null'))
  if (type === 'string') bad.push(...listBadTexts(schema).map((text) => JSON.stringify(text)))
  if (type === 'integer') bad.push(...listBadIntegers(schema))
  if (type === 'array') bad.push(...listBadArrays(schema))
  return bad
}

function listBadTexts(schema: JsonSchema): string[] {
  const { enum: allowedValues, format, pattern, maxLength, minLength = 0, wellFormed } = schema
  const bad: string[] = []
  if (allowedValues)
    bad.push('NOT_A_WORD', 'toString', '__proto__', 'constructor', '', `${allowedValues[0]!.toLowerCase()} `)
  if (wellFormed || pattern || format) bad.push('a\u0000b', '\ud800', 'a\udfffb', '\udc00\ud800')
  if (pattern) bad.push('\u0000', '\u0007', '\ud800')
  if (wellFormed === 'line') bad.push('a\nb', 'a\u0085b', 'a\u2028b')
  if (wellFormed === 'line' || wellFormed === 'prose') bad.push('a\u0007b', 'a\u202eb', '\u2067b', 'a\u061c')
  if (wellFormed === 'line' || wellFormed === 'prose') bad.push(' ', '\u3000\u00a0', '\u200b')
  if (format || pattern) bad.push(' ', '\n', '💥')
  if (format === 'email') bad.push('ada', 'ada@', '@example.com', 'a@b@c', 'ada@example.com\n')
  if (format === 'date') bad.push('2024-02-30', '2024-13-01', '1990-1-1', '1990-12-10T00:00:00Z')
  if (format === 'date-time') bad.push('2024-02-30T00:00:00Z', '2024-01-01', '2024-01-01T24:01:00Z', 'now')
  if (format === 'uri') bad.push('javascript:alert(1)', 'ftp://example.com', '//example.com', 'https://a b')
  if (minLength > 0) bad.push('')
  if (maxLength !== undefined) bad.push('a'.repeat(maxLength + 1), 'é'.repeat(maxLength + 1))
  const kinds = listIdKinds(schema)
  if (kinds)
    bad.push(
      `${kinds.includes('Agent') ? 'Card' : 'Agent'}:0190a1b2`,
      `${kinds[0]}:`,
      `${kinds[0]}:a/b`,
      kinds[0]!,
    )
  return bad
}

function listBadIntegers({ format, minimum, exclusiveMinimum, maximum }: JsonSchema): string[] {
  const bad: string[] = []
  const lowest = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1)
  if (lowest !== undefined) bad.push(`${lowest - 1}`, '-1', '-9223372036854775808')
  if (maximum !== undefined)
    bad.push(`${maximum + 1}`, '9007199254740993', '9223372036854775807', '1e18', '99999999999999999999')
  if (format === 'int64')
    bad.push('9223372036854775808', '-9223372036854775809', '1e19', `1${'0'.repeat(400)}`)
  return bad
}

function listBadArrays({ items, minItems = 0, maxItems, uniqueItems }: JsonSchema): string[] {
  const [item] = samples(items!).map((value) => JSON.stringify(value))
  const bad: string[] = []
  if (minItems > 0) bad.push('[]')
  if (uniqueItems && (maxItems ?? 2) > 1) bad.push(`[${item},${item}]`)
  if (maxItems !== undefined) bad.push(`[${Array(maxItems + 1).fill(item)}]`)
  return bad
}

/** Returns the kinds of records whose ids a schema accepts, or undefined if its values are not ids. */
export function listIdKinds({ pattern }: JsonSchema): string[] | undefined {
  const match = /^\^(?:\(\?:([\w|]+)\)|(\w+)):\[0-9A-Za-z-\]/.exec(pattern ?? '')
  return match ? (match[1] ?? match[2]!).split('|') : undefined
}

/** The parts of a request that differ from valid samples. The body is JSON text. */
interface Parts {
  readonly query?: Readonly<Record<string, unknown>>
  readonly text?: string
}

/** Returns a function that parses a request as the server does, and returns the refusal or undefined. */
export function createRequestChecker(endpoint: Endpoint): (parts: Parts) => Promise<ApiError | undefined> {
  const parse = createParser(endpoint)
  const validParams = samples((endpoint.params ?? { properties: {} }) as JsonSchema)[0]
  return async ({ query = requiredQuery(endpoint), text }) => {
    try {
      const body = parseBody(text === undefined ? undefined : Buffer.from(text), endpoint.bodyMembersMax)
      await parse({ params: { ...(validParams as object) }, query: { ...query }, body }, STRICTLY)
      return undefined
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }
}

/** Returns valid values for the required query parameters, as strings. */
export function requiredQuery(endpoint: Endpoint): Readonly<Record<string, string>> {
  const { required = [], properties = {} } = (endpoint.query ?? {}) as JsonSchema
  return Object.fromEntries(required.map((name) => [name, String(samples(properties[name]!)[0])]))
}
