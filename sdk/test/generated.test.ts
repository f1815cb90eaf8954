import { API } from '@countersign/contract/api'
import { decode as decodeBySchema } from '@countersign/contract/core/decode'
import type { BodyOf, Endpoint, ParamsOf, QueryOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { WEBHOOKS } from '@countersign/contract/events/webhooks'
import { NOUNS } from '@countersign/contract/nouns'
import { PAYLOADS, type Payload } from '@countersign/contract/signing/payloads'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { membersOf, type Schema } from '../generate/schema.ts'
import { getEndpoints } from '../src/client/endpoints.ts'
import { PAYLOAD_NODES, PAYLOAD_ROOTS } from '../src/generated/signing.ts'
import type { Calls, Payloads } from '../src/generated/types.ts'
import { WEBHOOK_SHAPES } from '../src/generated/webhooks.ts'
import { decode } from '../src/json/decode.ts'
import { nounsOf } from '../src/nouns/nouns.ts'
import { parseNodes, readStrictly } from '../src/signing/strict-reader.ts'

const NODES = parseNodes(PAYLOAD_NODES)

type Table = typeof API
type Name = keyof Table

/** True if each type is assignable to the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

/** The calls whose generated types differ from the contract's in some part. */
type Different = {
  [N in Name]: Same<Calls[N]['answer'], SuccessOf<Table[N]>> extends true
    ? Same<Calls[N]['params'], ParamsOf<Table[N]>> extends true
      ? Same<Calls[N]['query'], QueryOf<Table[N]>> extends true
        ? Table[N] extends { upload: unknown }
          ? never
          : Same<Calls[N]['body'], BodyOf<Table[N]>> extends true
            ? never
            : N
        : N
      : N
    : N
}[Name]

/**
 * Lists values of a schema that differ in union member, absent fields, null or integer size.
 */
function listSamples(schema: Schema, depth = 0): unknown[] {
  const members = membersOf(schema)
  if (members) return members.flatMap((member) => listSamples(member, depth + 1))
  if (schema.enum) return [schema.enum[0]]
  const types = [schema.type].flat()
  return types.flatMap((type) => listTypeSamples({ ...schema, type: type! }, depth))
}

function listTypeSamples(schema: Schema, depth: number): unknown[] {
  switch (schema.type) {
    case 'integer':
      return schema.format === 'int64' ? [7, 9_007_199_254_740_993n] : [3]
    case 'number':
      return [1.5, 9_007_199_254_740_993n]
    case 'null':
      return [null]
    case 'boolean':
      return [true]
    case 'array':
      return [[], listSamples(schema.items ?? {}, depth + 1)]
    case 'object':
      return listObjectSamples(schema, depth)
    default:
      return ['text']
  }
}

/** Lists one object for each sample of the field with the most samples, and one without optional fields. */
function listObjectSamples({ properties = {}, required = [] }: Schema, depth: number): unknown[] {
  const inside = Object.entries(properties).map(
    ([name, property]) => [name, listSamples(property, depth + 1)] as const,
  )
  const count = Math.max(1, ...inside.map(([, samples]) => samples.length))
  const whole = Array.from({ length: count }, (_, i) =>
    Object.fromEntries(inside.map(([name, samples]) => [name, samples[i % samples.length]])),
  )
  const least = Object.fromEntries(
    inside.filter(([name]) => required.includes(name)).map(([name, samples]) => [name, samples[0]]),
  )
  return [...whole, least]
}

describe('the code generated from the contract', () => {
  test('has the types of the contract for every call and payload', () => {
    // Its handler checks `clientPublicKey` itself, so its type in the contract is `unknown`; a caller passes
    // a string.
    expectTypeOf<Different>().toEqualTypeOf<'credential_challenge'>()
    expectTypeOf<keyof Calls>().toEqualTypeOf<Name>()
    expectTypeOf<Same<Payloads[keyof Payloads], Payload>>().toEqualTypeOf<true>()
  })

  test.each(Object.entries<Endpoint>(API))(
    'decodes the answers of %s as the contract does',
    (name, endpoint) => {
      const { responses: answers } = getEndpoints().get(name)!
      expect([...answers.keys()]).toEqual(Object.keys(endpoint.responses).map(Number))
      for (const [status, schema] of Object.entries(endpoint.responses)) {
        const { hasBody, shape } = answers.get(Number(status))!
        expect(hasBody).toBe(schema !== null)
        for (const sample of schema ? listSamples(schema as Schema) : [])
          expect(decode(shape, sample)).toEqual(decodeBySchema(schema as Schema as never, sample))
      }
    },
  )

  test.each(Object.values(WEBHOOKS).map(({ body }) => body as Schema))(
    'decodes webhooks as the contract does',
    (body) => {
      for (const type of body.properties!.type!.enum!)
        for (const sample of listSamples(body)) {
          const event = { ...(sample as object), type }
          expect(decode(WEBHOOK_SHAPES[String(type)], event)).toEqual(decodeBySchema(body as never, event))
        }
    },
  )

  test('gives every call one noun and one verb', () => {
    const names = Object.values(NOUNS)
    expect(new Set(names).size).toBe(names.length)
    const nouns = nounsOf({ call: async () => ({}) as never })
    const verbs = Object.entries(nouns).flatMap(([noun, all]) =>
      Object.keys(all).map((verb) => `${noun}.${verb}`),
    )
    expect(verbs.sort()).toEqual([...names].sort())
  })

  test('has the method, path and kind of every call', () => {
    for (const [name, endpoint] of Object.entries<Endpoint>(API)) {
      const { method, path, signed, idempotent, upload } = endpoint
      expect(getEndpoints().get(name)).toMatchObject({
        method,
        path,
        isSigned: Boolean(signed),
        isIdempotent: Boolean(idempotent),
        isUpload: Boolean(upload),
      })
    }
  })
})

/** Returns the schema that a node represents, with everything that a device checks. */
function readSchema(at: number): unknown {
  const node = NODES[at]
  if (node === 'int64') return { int64: true }
  if (typeof node === 'string') return { type: node }
  if (Array.isArray(node)) {
    const [kind, first, ...rest] = node
    if (kind === '=') return { enum: [first, ...rest] }
    if (kind === '/') return { pattern: first }
    if (kind === '[') return { items: readSchema(first) }
    return { tag: first, members: rest.map(readSchema) }
  }
  return Object.fromEntries(
    Object.entries(node as Record<string, number>).map(([name, inside]) => [name, readSchema(inside)]),
  )
}

/** Returns the checks of a contract schema, in the form of `readSchema`. */
function listChecks(schema: Schema): unknown {
  const members = membersOf(schema)
  if (members) return { tag: schema.discriminator?.propertyName ?? '', members: members.map(listChecks) }
  if (schema.format === 'int64') return { int64: true }
  if (schema.enum) return { enum: schema.enum }
  if (schema.items) return { items: listChecks(schema.items) }
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        schema.required?.includes(name) ? name : `${name}?`,
        listChecks(property),
      ]),
    )
  return schema.pattern === undefined ? { type: schema.type } : { pattern: schema.pattern }
}

describe('the payloads that a wallet reads', () => {
  test.each(Object.entries(PAYLOADS))('of %s are checked for all that the contract says', (name, schema) => {
    expect(readSchema(PAYLOAD_ROOTS[name as keyof Payloads])).toEqual(listChecks(schema as Schema))
  })

  test('with a field name that ends in a question mark, or of another type, are rejected', () => {
    const at = PAYLOAD_ROOTS.internal_account_update
    expect(() => readStrictly(NODES, at, { 'operation?': 1 }, '')).toThrow('is missing')
    expect(() => readStrictly(NODES, at, [], '')).toThrow('is not of type object')
  })
})
