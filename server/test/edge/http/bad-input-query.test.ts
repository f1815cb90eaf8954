import type { IdKind } from '@countersign/contract/core/ids'
import { describe, expect, test } from 'vitest'
import { buildId, deriveUuid } from '../../../src/storage/engine/ids.ts'
import {
  createRequestChecker,
  ENDPOINTS,
  type JsonSchema,
  listIdKinds,
  requiredQuery,
  samples,
} from '../../worlds/contract/schemas.testing.ts'

const createId = (kind: string) => buildId(kind as IdKind, deriveUuid('any'))

interface BadParameter {
  readonly value: string | readonly string[]
  readonly field: string
}

/** Values that must be refused with the name of the field. An array repeats the parameter in the query. */
function listBadParameters(name: string, schema: JsonSchema): BadParameter[] {
  const good = String(samples(schema.items ?? schema)[0])
  if (!schema.items)
    return [...listBadTexts(schema), [good, good], [good, good, '']].map((value) => ({ value, field: name }))
  const items = listBadTexts(schema.items)
  return [
    ...items.map((value) => ({ value, field: `${name}.0` })),
    ...items.map((value) => ({ value: [good, value], field: `${name}.1` })),
    { value: Array<string>((schema.maxItems ?? 0) + 1).fill(good), field: name },
  ]
}

function listBadTexts(schema: JsonSchema): string[] {
  const { type, format, enum: words, maxLength, pattern, minimum = 1, maximum = 100 } = schema
  const values: string[] = []
  if (type === 'integer') values.push('-1', '1.5', 'abc', '', '1e400', '9'.repeat(30), 'null', '0x', 'NaN')
  if (type === 'integer') values.push('0x10', '1e1', '5.0', '+5', ' 5', '5 ', '0b1', '٥')
  if (type === 'integer')
    values.push(
      ...(format === 'int64' ? ['9223372036854775808', ' 1'] : [String(minimum - 1), String(maximum + 1)]),
    )
  if (type === 'boolean') values.push('maybe', '2', '', 'TRUE')
  if (type === 'string') values.push('a\u0000b')
  if (words) values.push('NOT_A_WORD', 'toString', '__proto__', '', `${words[0]} `)
  if (maxLength !== undefined) values.push('a'.repeat(maxLength + 1))
  if (pattern) values.push('💥', 'a b', `${samples(schema)[0]}\n`)
  if (format === 'date-time') values.push(...BAD_TIMES)
  const kinds = listIdKinds(schema)
  const otherKind = ['Agent', 'Card'].find((kind) => !kinds?.includes(kind))
  if (kinds)
    values.push(
      // An id of any kind cannot be of a wrong kind.
      ...(otherKind ? [createId(otherKind)] : []),
      `${kinds[0]}:`,
      kinds[0]!,
      `${createId(kinds[0]!)}'--`,
    )
  return values
}

/** Some look like a time, but do not exist in the calendar or exceed the range of the database. */
const BAD_TIMES = [
  'yesterday',
  '2024-01-01',
  '2024-02-30T00:00:00Z',
  '2024-01-01T25:00:00Z',
  '2016-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '+12024-01-01T00:00:00Z',
  '1735689600',
  '',
]

/** Values that the schema accepts and the operation refuses: `bad-address.test.ts` and `paging.test.ts` test them. */
function isJudgedByOperation(name: string, value: BadParameter['value']): boolean {
  if (name === 'cursor') return typeof value === 'string' && value.length < 1024
  return name.endsWith('UmaAddress') && value === 'a\u0000b'
}

const WITH_QUERY = ENDPOINTS.filter(([, { query }]) => query !== undefined)

describe.each(WITH_QUERY)('%s refuses a query, and names the field,', (_, endpoint) => {
  const { properties = {}, required = [] } = endpoint.query as unknown as JsonSchema
  const findRefusal = createRequestChecker(endpoint)

  test('if a value is invalid or repeated', { tags: 'long' }, async () => {
    for (const [name, schema] of Object.entries(properties))
      for (const { value, field } of listBadParameters(name, schema)) {
        if (isJudgedByOperation(name, value)) continue
        const refusal = await findRefusal({ query: { ...requiredQuery(endpoint), [name]: value } })
        const what = `${name}=${String(value).slice(0, 200)}`
        expect([refusal?.code, refusal?.details?.field], what).toEqual(['INVALID_INPUT', field])
        expect(refusal?.message, what).toContain(field)
      }
  })

  test('if a required field is missing', async () => {
    for (const name of required) {
      const { [name]: _, ...query } = requiredQuery(endpoint)
      expect((await findRefusal({ query }))?.details?.field).toBe(name)
    }
  })
})

test.each(ENDPOINTS)('%s refuses an unknown parameter, and suggests a similar one', async (_, endpoint) => {
  const { properties = {} } = (endpoint.query ?? {}) as JsonSchema
  const findRefusal = createRequestChecker(endpoint)
  const misspellings = Object.keys(properties).map((known) => ({ field: `${known}Q`, known }))
  for (const { field, known } of [{ field: 'strange', known: undefined }, ...misspellings]) {
    const refusal = await findRefusal({ query: { ...requiredQuery(endpoint), [field]: '1' } })
    const suggestion = known ? `; did you mean ${known}?` : ''
    expect(refusal?.code).toBe('INVALID_INPUT')
    // The endpoint may require a body too.
    expect(refusal?.details?.errors).toContainEqual({ field, message: `${field} is not known${suggestion}` })
  }
})
