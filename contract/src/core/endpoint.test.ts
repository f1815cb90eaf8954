import { type TObject, Type } from 'typebox'
import { expect, test } from 'vitest'
import { API } from '../api.ts'
import { bodyBytesMaxOf, type Endpoint } from './endpoint.ts'

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

/** Text that people read may use any script: four bytes a character in UTF-8. Everything else is ASCII. */
const SCRIPT_BYTES_MAX = 4
/**
 * Bounds ids, numbers, times and strings without a `maxLength`, which a pattern or an account's check limits.
 */
const BYTES_MAX_ELSE = 512

/** The length of the longest JSON text that a schema takes. */
function longest({ enum: words, oneOf, properties, items, ...schema }: Schema): number {
  const { maxItems = 0, maxLength = BYTES_MAX_ELSE, wellFormed, freeFormMax } = schema
  if (freeFormMax) return freeFormMax.bytes
  if (oneOf) return Math.max(...oneOf.map(longest))
  if (words) return Math.max(...words.map((word) => word.length)) + 2
  if (properties)
    return Object.entries(properties).reduce(
      (sum, [name, member]) => sum + `"${name}":,`.length + longest(member),
      2,
    )
  const [type] = [schema.type].flat()
  if (type === 'array') return 2 + maxItems * (longest(items!) + 1)
  if (type === 'string') return 2 + maxLength * (wellFormed && schema.maxLength ? SCRIPT_BYTES_MAX : 1)
  return '-9223372036854775808'.length
}

/** Bounded as a whole, below the sum of their lists. */
const BOUNDED_AS_A_WHOLE = ['config_update', 'payout_batch_create']

test('every body that a schema accepts fits the size limit of its endpoint', () => {
  const endpoints = Object.entries<Endpoint>(API).filter(([name]) => !BOUNDED_AS_A_WHOLE.includes(name))
  const refused = endpoints
    .filter(([, { body }]) => body !== undefined)
    .map(([name, endpoint]) => ({
      name,
      bytes: longest(endpoint.body as Schema),
      bytesMax: bodyBytesMaxOf(endpoint),
    }))
    .filter(({ bytes, bytesMax }) => bytes > bytesMax)
  expect(refused).toEqual([])
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
