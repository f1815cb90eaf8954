import type { Endpoint } from '@countersign/contract/core/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ParamKind } from '../bodies.testing.ts'
import {
  callerOf,
  ENDPOINTS,
  expectDeclaredRefusal,
  expectError,
  forEach,
  idsFor,
  kindOfParam,
  missingId,
  newWorld,
  pathWith,
  validBody,
  type World,
} from '../calls.testing.ts'
import { newPlatform } from '../client.testing.ts'
import { type JsonSchema, kindsOf, samples } from '../schemas.testing.ts'

let world: World
beforeAll(async () => {
  world = await newWorld(await newPlatform())
})

/** The path of an endpoint, to what is there. */
const pathOf = (endpoint: Endpoint) => pathWith(endpoint, (kind) => idsFor(endpoint, world)[kind]!)

/** Members of a query as they stand in an address, each of which must be refused, naming the field. */
function badParameters(name: string, schema: JsonSchema): { text: string; field: string }[] {
  const good = `${name}=${encodeURIComponent(String(samples(schema.items ?? schema)[0]))}`
  const inText = (value: string) => `${name}=${encodeURIComponent(value)}`
  if (schema.items) {
    const items = badTexts(schema.items)
    return [
      ...items.map((value) => ({ text: inText(value), field: `${name}.0` })),
      ...items.map((value) => ({ text: `${good}&${inText(value)}`, field: `${name}.1` })),
      {
        text: Array((schema.maxItems ?? 0) + 1)
          .fill(good)
          .join('&'),
        field: name,
      },
    ]
  }
  const texts = [...badTexts(schema).map(inText), `${good}&${good}`, `${good}&${good}&${name}=`]
  return texts.map((text) => ({ text, field: name }))
}

function badTexts(schema: JsonSchema): string[] {
  const { type, format, enum: words, maxLength, pattern, minimum = 1, maximum = 100 } = schema
  const values: string[] = []
  if (type === 'integer') values.push('-1', '1.5', 'abc', '', '1e400', '9'.repeat(30), 'null', '0x', 'NaN')
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
  const kinds = kindsOf(schema)
  const other = ['Agent', 'Card'].find((kind) => !kinds?.includes(kind))
  if (kinds)
    values.push(
      // A member that may be of any kind has none that is wrong.
      ...(other ? [missingId(other)] : []),
      `${kinds[0]}:`,
      kinds[0]!,
      `${missingId(kinds[0]!)}'--`,
    )
  return values
}

/** Among them some that have the form of a time, but none in this calendar or in the database's. */
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

/** The rest of a query, so that only the member under test is wrong. */
function restOf(query: JsonSchema, name: string): string {
  const others = (query.required ?? []).filter((other) => other !== name)
  return others
    .map((other) => `&${other}=${encodeURIComponent(String(samples(query.properties![other]!)[0]))}`)
    .join('')
}

/** Where one of several members is required, one of them. */
function oneOf({ path }: Endpoint): string {
  return path === '/ledger/transfers' ? `&accountId=${world.ids.InternalAccount}` : ''
}

const WITH_QUERY = ENDPOINTS.filter(([, { query }]) => query !== undefined)

describe.each(WITH_QUERY)('%s refuses a query, naming the member,', (_, endpoint) => {
  const query = endpoint.query as unknown as JsonSchema

  test('with an invalid value, or given twice', async () => {
    const members = Object.entries(query.properties!)
    const parameters = members.flatMap(([name, schema]) =>
      badParameters(name, schema).map(({ text, field }) => ({
        field,
        text: `?${text}${restOf(query, name)}${name === 'accountId' ? '' : oneOf(endpoint)}`,
      })),
    )
    await forEach(parameters, async ({ field, text }) => {
      const reply = await callerOf(endpoint, world).send(endpoint.method, pathOf(endpoint) + text)
      const what = `${endpoint.path}${text.slice(0, 200)}`
      // For an UMA address the operation refuses it, not the schema.
      const code = text.includes('UmaAddress=a%00') ? 'INVALID_UMA_ADDRESS' : 'INVALID_INPUT'
      expectError(reply, { code, field, what })
      expect(reply.body.message, what).toContain(field)
    })
  })

  test('without a required member', async () => {
    for (const name of query.required ?? []) {
      const path = `${pathOf(endpoint)}?${restOf(query, name)}`
      const reply = await callerOf(endpoint, world).send(endpoint.method, path)
      expectError(reply, { code: 'INVALID_INPUT', field: name })
    }
  })

  test('never by breaking: odd members and escapes', async () => {
    const odd = [
      '__proto__=1',
      '__proto__[a]=1',
      'constructor=1',
      'toString=1',
      '%',
      '%zz=1',
      '=',
      '&&&',
      '%00=%00',
    ]
    for (const name of Object.keys(query.properties!))
      odd.push(`${name}=%`, `${name}=%ED%A0%80`, `${name}=%ff`, name)
    await forEach(odd, async (text) => {
      const reply = await callerOf(endpoint, world).send(endpoint.method, `${pathOf(endpoint)}?${text}`)
      if (reply.status !== 200) expectDeclaredRefusal(endpoint, reply, `${endpoint.path}?${text}`)
    })
  })
})

test.each(ENDPOINTS)('%s refuses an unknown parameter, suggesting a similar one', async (name, endpoint) => {
  const { required = [], properties = {} } = (endpoint.query ?? {}) as JsonSchema
  const rest = required.map((one) => `&${one}=${encodeURIComponent(String(samples(properties[one]!)[0]))}`)
  const mistyped = Object.keys(properties).map((known) => ({ field: `${known}Q`, known }))
  await forEach([{ field: 'strange', known: undefined }, ...mistyped], async ({ field, known }) => {
    const path = `${pathOf(endpoint)}?${field}=1${rest.join('')}`
    const ids = idsFor(endpoint, world)
    const reply = await callerOf(endpoint, world).send(endpoint.method, path, validBody(name, ids))
    expectError(reply, { code: 'INVALID_INPUT', field, what: path })
    const meant = known ? `; did you mean ${known}?` : ''
    expect(reply.body.message).toBe(`${field} is not known${meant}`)
  })
})

/** What is no UMA address is a bad request, and nothing else (`receivers.test.ts`). */
const WITH_PARAMS = ENDPOINTS.filter(
  ([, { params, path }]) => params !== undefined && !path.endsWith('/{receiverUmaAddress}'),
)

/** What an id in an address may be instead: well-formed but nobody's, of another kind, no id at all. */
function notIds(kind: ParamKind): string[] {
  // A business is a customer too, and an internal account is an account of the ledger.
  const same: Partial<Record<ParamKind, ParamKind>> = {
    Customer: 'Business',
    LedgerAccount: 'InternalAccount',
  }
  const others = Object.entries(world.ids).flatMap(([other, id]) =>
    other === kind || other === same[kind] ? [] : [id!],
  )
  const odd = [
    'x',
    '0',
    'null',
    '-1',
    '__proto__',
    'constructor',
    "' OR 1=1 --",
    '💥',
    '%',
    'a/b',
    'a?b',
    ' ',
  ]
  const near = world.ids[kind] ?? missingId(kind)
  const almost = [
    `${near}x`,
    near.slice(0, -1),
    // A code may be written in many ways.
    ...(kind === 'DeviceCode'
      ? []
      : [
          near.toLowerCase(),
          near.replace(':', ''),
          near.replace(/^\w+/, kind === 'Card' ? 'Quote' : 'Card'),
        ]),
  ]
  return [missingId(kind), ...others, ...odd, ...almost, 'a'.repeat(255)]
}

/** Stands where an id, as it is written in an address, will be. */
const MARK = 'mark'

const PARAMS = WITH_PARAMS.flatMap(([name, endpoint]) =>
  Object.keys((endpoint.params as unknown as JsonSchema).properties!).map(
    (param) => [`${name} {${param}}`, name, endpoint, kindOfParam(endpoint, param)] as const,
  ),
)

describe.each(PARAMS)('%s', (_, name, endpoint, kind) => {
  const call = (id: string) => {
    const ids = idsFor(endpoint, world)
    const path = pathWith(endpoint, (other) => (other === kind ? MARK : ids[other]!)).replace(MARK, () => id)
    return callerOf(endpoint, world).send(endpoint.method, path, validBody(name, ids))
  }

  test('answers 404 with a code of its own for every id of none of its records', async () => {
    const answers = new Set<string>()
    await forEach(notIds(kind), async (id) => {
      const reply = await call(encodeURIComponent(id))
      expectDeclaredRefusal(endpoint, reply, `${endpoint.path} ${id}`)
      expect(reply.status, id).toBe(404)
      expect(reply.body.code, id).toMatch(/^\w+_NOT_FOUND$/)
      answers.add(JSON.stringify(reply.body))
    })
    expect([...answers]).toHaveLength(1)
  })

  test('refuses an id that cannot be text, is too long or is not an address', async () => {
    // A code is looked up before its schema is checked, because it authenticates the caller.
    const unreadable = endpoint.auth === 'deviceCode' ? 'DEVICE_CODE_NOT_FOUND' : 'INVALID_INPUT'
    const ids = ['a%00b', 'a'.repeat(256), 'a'.repeat(512)]
    await forEach(ids, async (id) => expectError(await call(id), { code: unreadable, what: id }))
    const noAddresses = ['a'.repeat(600), 'a'.repeat(5000), '%', '%zz', '%ff', '%ED%A0%80', 'a%', '']
    await forEach(noAddresses, async (id) => {
      const reply = await call(id)
      expect([400, 404, 405], id).toContain(reply.status)
      expectError(reply, { code: reply.body.code, what: id })
    })
  })
})
