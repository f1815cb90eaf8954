import { type TObject, Type } from 'typebox'
import { expect, test } from 'vitest'
import { API } from '../api.ts'
import { type Endpoint, getBodyBytesMax } from './endpoint.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly maxItems?: number
  readonly maxLength?: number
  readonly wellFormed?: unknown
  readonly freeFormMax?: { readonly bytes: number }
}

/** Human-readable text may use any script: up to four bytes per character in UTF-8. Everything else is ASCII. */
const SCRIPT_BYTES_MAX = 4
/**
 * Bounds ids, numbers, times and strings without a `maxLength`, which a pattern or an account's check limits.
 */
const DEFAULT_BYTES_MAX = 512

/** Computes the length of the longest JSON text that a schema accepts. */
function computeMaxJsonLength({ enum: words, oneOf, properties, items, ...schema }: Schema): number {
  const { maxItems = 0, maxLength = DEFAULT_BYTES_MAX, wellFormed, freeFormMax } = schema
  if (freeFormMax) return freeFormMax.bytes
  if (oneOf) return Math.max(...oneOf.map(computeMaxJsonLength))
  if (words) return Math.max(...words.map((word) => word.length)) + 2
  if (properties)
    return Object.entries(properties).reduce(
      (sum, [name, member]) => sum + `"${name}":,`.length + computeMaxJsonLength(member),
      2,
    )
  const [type] = [schema.type].flat()
  if (type === 'array') return 2 + maxItems * (computeMaxJsonLength(items!) + 1)
  if (type === 'string') return 2 + maxLength * (wellFormed && schema.maxLength ? SCRIPT_BYTES_MAX : 1)
  return '-9223372036854775808'.length
}

/** Endpoints whose body is limited as a whole, to less than the sum of its lists. */
const BOUNDED_AS_A_WHOLE = ['config_update', 'payout_batch_create']

test('every body that a schema accepts fits the size limit of its endpoint', () => {
  const endpoints = Object.entries<Endpoint>(API).filter(([name]) => !BOUNDED_AS_A_WHOLE.includes(name))
  const tooLarge = endpoints
    .filter(([, { body }]) => body !== undefined)
    .map(([name, endpoint]) => ({
      name,
      bytes: computeMaxJsonLength(endpoint.body as Schema),
      bytesMax: getBodyBytesMax(endpoint),
    }))
    .filter(({ bytes, bytesMax }) => bytes > bytesMax)
  expect(tooLarge).toEqual([])
})

test('every challenge of a signed call states the type of credential', () => {
  const challenges = Object.values(API).flatMap(({ responses }: Endpoint) =>
    Object.values(responses).filter((schema): schema is TObject =>
      Type.IsObject(schema ?? {}) ? 'payloadToSign' in (schema as TObject).properties : false,
    ),
  )
  expect(challenges.length).toBeGreaterThan(10)
  for (const { required } of challenges)
    expect(required).toEqual(['type', 'payloadToSign', 'requestId', 'expiresAt'])
})
