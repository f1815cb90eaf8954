import type { Endpoint } from '@countersign/contract/core/endpoint'
import { expect, test } from 'vitest'
import {
  createRequestChecker,
  ENDPOINTS,
  type Json,
  type JsonSchema,
  type Member,
  membersOf,
  samples,
  withRaw,
} from '../../worlds/contract/schemas.testing.ts'

const WITH_BODY = ENDPOINTS.filter(([, { body, upload }]) => body !== undefined && !upload)

/** Finds the schema of the object at a path of a sample; undefined if the schema has no object there. */
function findObject(schema: JsonSchema, value: Json, path: Member['path']): JsonSchema | undefined {
  const { oneOf, discriminator } = schema
  const tag = discriminator?.propertyName ?? ''
  const tagValue = (value as Record<string, string>)[tag] ?? ''
  const branch = oneOf ? oneOf.find(({ properties }) => properties?.[tag]?.enum?.includes(tagValue)) : schema
  const [name, ...remainingPath] = path
  if (name === undefined) return branch?.properties && branch
  const next = typeof name === 'number' ? branch?.items : branch?.properties?.[name]
  return next && findObject(next, (value as Record<string, Json>)[name] ?? null, remainingPath)
}

function listRecordSchemas({ responses, signed }: Endpoint): JsonSchema[] {
  return Object.entries(responses).flatMap(([status, schema]) =>
    schema === null || (signed && status === '202') ? [] : [schema as JsonSchema],
  )
}

/** Bodies with one extra field each, which at that path only the response has. */
function buildBodiesWithReadOnlyField(endpoint: Endpoint): { field: string; text: string }[] {
  const schema = endpoint.body as JsonSchema
  return samples(schema).flatMap((sample) => {
    const paths = [[], ...membersOf(schema, sample).map(({ path }) => path)]
    return paths.flatMap((path) => {
      const known = findObject(schema, sample, path)?.properties
      const recordFields = listRecordSchemas(endpoint).flatMap((record) =>
        Object.keys(findObject(record, sample, path)?.properties ?? {}),
      )
      const readOnlyFields = known ? recordFields.filter((name) => !Object.hasOwn(known, name)) : []
      const value = path.reduce<Json>((at, name) => (at as Record<string, Json>)[name] ?? null, sample)
      return readOnlyFields.map((name) => ({
        field: [...path, name].join('.'),
        text: withRaw(sample, path, JSON.stringify({ ...(value as object), [name]: { any: 'value' } })),
      }))
    })
  })
}

test.each(WITH_BODY)('%s ignores read-only fields in the body, at every level', async (_, endpoint) => {
  const findRefusal = createRequestChecker(endpoint)
  for (const { field, text } of buildBodiesWithReadOnlyField(endpoint))
    expect((await findRefusal({ text }))?.message, field).toBeUndefined()
})

test('records have read-only fields, in nested objects too', () => {
  const fields = new Map(
    WITH_BODY.map(([name, endpoint]) => [
      name,
      buildBodiesWithReadOnlyField(endpoint).map(({ field }) => field),
    ]),
  )
  expect(fields.get('customer_external_account_create')).toEqual(
    expect.arrayContaining(['id', 'status', 'accountInfo.paymentRails']),
  )
  expect(fields.get('customer_update')).toContain('createdAt')
})
