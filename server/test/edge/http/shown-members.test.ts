import type { Endpoint } from '@countersign/contract/core/endpoint'
import { expect, test } from 'vitest'
import {
  ENDPOINTS,
  type Json,
  type JsonSchema,
  type Member,
  membersOf,
  refusalsOf,
  samples,
  withRaw,
} from '../../worlds/contract/schemas.testing.ts'

const WITH_BODY = ENDPOINTS.filter(([, { body, upload }]) => body !== undefined && !upload)

/** The schema of the object at this path of a sample; undefined if the schema has no object there. */
function objectAt(schema: JsonSchema, value: Json, path: Member['path']): JsonSchema | undefined {
  const { oneOf, discriminator } = schema
  const tag = discriminator?.propertyName ?? ''
  const word = (value as Record<string, string>)[tag] ?? ''
  const found = oneOf ? oneOf.find(({ properties }) => properties?.[tag]?.enum?.includes(word)) : schema
  const [name, ...rest] = path
  if (name === undefined) return found?.properties && found
  const next = typeof name === 'number' ? found?.items : found?.properties?.[name]
  return next && objectAt(next, (value as Record<string, Json>)[name] ?? null, rest)
}

function recordsOf({ responses, signed }: Endpoint): JsonSchema[] {
  return Object.entries(responses).flatMap(([status, schema]) =>
    schema === null || (signed && status === '202') ? [] : [schema as JsonSchema],
  )
}

/** A body with one extra field in each of its objects, which only the record of the response has there. */
function bodiesWithShown(endpoint: Endpoint): { field: string; text: string }[] {
  const schema = endpoint.body as JsonSchema
  return samples(schema).flatMap((sample) => {
    const paths = [[], ...membersOf(schema, sample).map(({ path }) => path)]
    return paths.flatMap((path) => {
      const known = objectAt(schema, sample, path)?.properties
      const shown = recordsOf(endpoint).flatMap((one) =>
        Object.keys(objectAt(one, sample, path)?.properties ?? {}),
      )
      const only = known ? shown.filter((name) => !Object.hasOwn(known, name)) : []
      const value = path.reduce<Json>((at, name) => (at as Record<string, Json>)[name] ?? null, sample)
      return only.map((name) => ({
        field: [...path, name].join('.'),
        text: withRaw(sample, path, JSON.stringify({ ...(value as object), [name]: { any: 'value' } })),
      }))
    })
  })
}

test.each(WITH_BODY)(
  '%s ignores fields of the body that only its record shows, at every level',
  async (_, endpoint) => {
    const refusalOf = refusalsOf(endpoint)
    for (const { field, text } of bodiesWithShown(endpoint))
      expect((await refusalOf({ text }))?.message, field).toBeUndefined()
  },
)

test('records show fields that their requests do not take, in nested objects too', () => {
  const fields = new Map(
    WITH_BODY.map(([name, endpoint]) => [name, bodiesWithShown(endpoint).map(({ field }) => field)]),
  )
  expect(fields.get('customer_external_account_create')).toEqual(
    expect.arrayContaining(['id', 'status', 'accountInfo.paymentRails']),
  )
  expect(fields.get('customer_update')).toContain('createdAt')
})
