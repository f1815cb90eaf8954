import type { Endpoint } from '@countersign/contract/core/endpoint'
import { describe, expect, test } from 'vitest'
import {
  badValues,
  createRequestChecker,
  ENDPOINTS,
  type Json,
  type JsonSchema,
  type Member,
  membersOf,
  samples,
  without,
  withRaw,
} from '../../worlds/contract/schemas.testing.ts'

/** A body that must be refused, and the field that the refusal must name. */
interface BadBody {
  readonly text: string
  readonly field: string
}

/** True if all keys of an object are known, because the caller does not choose them. */
const isClosed = ({ properties, oneOf }: JsonSchema) => properties !== undefined || oneOf !== undefined

/** Uploads are forms, not JSON: `documents.test.ts` tests their refusals. */
const WITH_BODY = ENDPOINTS.filter(([, { body, upload }]) => body !== undefined && !upload)

/** Bodies with one fault each. A field that several samples share is changed once. */
function listBodiesWithOneFault(
  endpoint: Endpoint,
  texts: (
    member: Member,
    replaceValue: (raw: string) => string,
    removeField: () => string,
  ) => readonly string[],
): BadBody[] {
  const seen = new Map<string, Set<JsonSchema>>()
  return samples(endpoint.body as JsonSchema).flatMap((sample) =>
    membersOf(endpoint.body as JsonSchema, sample).flatMap((member) => {
      const field = member.path.join('.')
      const known = seen.get(field) ?? new Set()
      if (known.has(member.schema) || member.schema.judgedByHandler) return []
      seen.set(field, known.add(member.schema))
      const replaceValue = (raw: string) => withRaw(sample, member.path, raw)
      const removeField = () => JSON.stringify(without(sample, member.path))
      return texts(member, replaceValue, removeField).map((text) => ({ text, field }))
    }),
  )
}

describe.each(WITH_BODY)('%s names the field when it refuses', (name, endpoint) => {
  const schema = endpoint.body as JsonSchema
  const findRefusal = createRequestChecker(endpoint)

  /** Parses each body as the server does, which `bad-input-calls.test.ts` verifies over HTTP. */
  async function expectRefused(bodies: readonly BadBody[]) {
    for (const { text, field } of bodies) {
      const refusal = await findRefusal({ text })
      const what = `${endpoint.path} ${text.slice(0, 300)}`
      expect([refusal?.code, refusal?.details?.field], what).toEqual(['INVALID_INPUT', field])
      expect(refusal?.message, what).toContain(field.split('.').at(-1))
    }
  }

  test('invalid values: other types, lengths, enum values, characters, or ids of another kind', {
    tags: 'long',
  }, async () => {
    const known = new Set<string>()
    const bodies = listBodiesWithOneFault(endpoint, ({ schema }, replaceValue) => {
      const bad = badValues(schema)
      // The first field of a kind gets every fault; further ones get only the first and the last fault.
      const kind = JSON.stringify(schema)
      const chosenValues = known.has(kind) ? [bad[0]!, bad.at(-1)!] : bad
      known.add(kind)
      return chosenValues.map(replaceValue)
    })
    // This endpoint has no fields to invalidate: credentials.test.ts tests it.
    if (name !== 'credential_challenge') expect(bodies.length, name).toBeGreaterThan(5)
    await expectRefused(bodies)
  })

  test('a body without a required field', async () => {
    const bodies = listBodiesWithOneFault(endpoint, (member, _, removeField) =>
      member.required ? [removeField()] : [],
    )
    await expectRefused(bodies)
  })

  test('an unknown field at any level, even if all else is valid', async () => {
    const seen = new Set<string>()
    const bodies = samples(schema).flatMap((sample) => {
      const objects = [{ path: [], schema }, ...membersOf(schema, sample)].filter(({ schema }) =>
        isClosed(schema),
      )
      return objects.flatMap(({ path: at }) => {
        const object = at.reduce<Json>((value, name) => (value as Record<string, Json>)[name]!, sample)
        const [known = 'strange'] = Object.keys(object as object)
        const field = [...at, `${known}Q`].join('.')
        if (seen.has(field)) return []
        seen.add(field)
        const text = withRaw(sample, at, JSON.stringify({ ...(object as object), [`${known}Q`]: 1 }))
        return [{ text, field }]
      })
    })
    expect(bodies.length).toBeGreaterThan(0)
    await expectRefused(bodies)
  })

  test('a body that is not an object', async () => {
    const texts = ['null', '[]', '"text"', '1', 'true', '[{}]', '1e400', '123456789012345678901234567890']
    await expectRefused(texts.map((text) => ({ text, field: 'body' })))
  })

  test('fields at any level that would change a prototype', async () => {
    const [sample] = samples(schema)
    const members = [{ path: [], schema }, ...membersOf(schema, sample!)]
    const objects = members.filter(({ schema: { type, oneOf } }) => type === 'object' || oneOf)
    const bad = ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}', '{"\\u005f_proto__":1}']
    const bodies = objects.flatMap((member) => bad.map((raw) => withRaw(sample!, member.path, raw)))
    await expectRefused(bodies.map((text) => ({ text, field: 'body' })))
    expect(({} as { a?: number }).a).toBeUndefined()
  })

  test('text that is not JSON, or JSON that nests too deeply', async () => {
    const nestArrays = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    const texts = [
      '{',
      '}',
      '{"a":1,}',
      "{'a':1}",
      '{"a":01}',
      '{"a":NaN}',
      '{"a":"\u0001"}',
      '{}{}',
      ' ',
      '\ufeff',
    ]
    texts.push(
      '[',
      '[['.repeat(2_000),
      '{"a":'.repeat(1_000),
      nestArrays(65),
      nestArrays(4_000),
      `{"a":${nestArrays(64)}}`,
    )
    await expectRefused(texts.map((text) => ({ text, field: 'body' })))
  })
})
