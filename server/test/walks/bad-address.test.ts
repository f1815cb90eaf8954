import type { Endpoint } from '@countersign/contract/core/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { newPlatform } from '../worlds/client.testing.ts'
import type { ParamKind } from '../worlds/contract/bodies.testing.ts'
import {
  buildMissingId,
  buildMissingPath,
  buildValidBody,
  expectDeclaredRefusal,
  expectError,
  findParamKind,
  forEach,
  idsFor,
  newWorld,
  pathWith,
  selectCaller,
  type World,
} from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS, type JsonSchema } from '../worlds/contract/schemas.testing.ts'

let world: World
beforeAll(async () => {
  world = await newWorld(await newPlatform())
})

/** The path of an endpoint, to a record that exists. */
const buildPath = (endpoint: Endpoint) => pathWith(endpoint, (kind) => idsFor(endpoint, world)[kind]!)

const WITH_QUERY = ENDPOINTS.flatMap(([name, endpoint]) => {
  const names = Object.keys((endpoint.query as JsonSchema | undefined)?.properties ?? {})
  return names.length > 0 ? [[name, endpoint, names] as const] : []
})

const ODD_FIELDS = [
  '__proto__=1',
  '__proto__[a]=1',
  'constructor=1',
  'toString=1',
  '%',
  '%zz=1',
  '=',
  '%00=%00',
]
/** A query string with no fields: nothing is between the separators. */
const NO_QUERY = '&&&'
const ODD_VALUES = ['=%', '=%ED%A0%80', '=%ff', '']

describe.each(WITH_QUERY)('%s', (_, endpoint, names) => {
  const isRead = endpoint.method === 'GET'

  test('handles a query with odd fields or escapes without a server error', async () => {
    const queries = [...ODD_FIELDS, ...names.flatMap((name) => ODD_VALUES.map((value) => `${name}${value}`))]
    await forEach(queries, async (query) => {
      const reply = await selectCaller(endpoint, world).send(
        endpoint.method,
        `${buildPath(endpoint)}?${query}`,
      )
      if (isRead && reply.status === 200) return
      expectDeclaredRefusal(endpoint, reply, `${endpoint.path}?${query}`)
      // The query is checked before the record is read, so the record stays unchanged.
      if (!isRead) expect(reply.status, query).toBe(400)
    })
  })

  test('accepts a query without fields', async () => {
    const send = (path: string) => selectCaller(endpoint, world).send(endpoint.method, path)
    // The path of a write names no existing record, so the write changes nothing.
    const path = isRead ? buildPath(endpoint) : buildMissingPath(endpoint)
    const [withoutQuery, withEmptyQuery] = await Promise.all([send(path), send(`${path}?${NO_QUERY}`)])
    expect([withEmptyQuery.status, withEmptyQuery.body?.code]).toEqual([
      withoutQuery.status,
      withoutQuery.body?.code,
    ])
  })
})

test('an invalid UMA address in a query is refused with the name of its field', {
  tags: 'smoke',
}, async () => {
  const umaFields = WITH_QUERY.flatMap(([, endpoint, names]) =>
    names.filter((name) => /UmaAddress$/.test(name)).map((name) => [endpoint, name] as const),
  )
  expect(umaFields.length).toBeGreaterThan(0)
  for (const [endpoint, field] of umaFields) {
    const reply = await selectCaller(endpoint, world).send('GET', `${buildPath(endpoint)}?${field}=a%00b`)
    expectError(reply, { code: 'INVALID_UMA_ADDRESS', field })
  }
})

/** Without the UMA lookup, which returns 400 instead of 404 for an invalid address (`receivers.test.ts`). */
const WITH_PARAMS = ENDPOINTS.filter(
  ([, { params, path }]) => params !== undefined && !path.endsWith('/{receiverUmaAddress}'),
)

/** Lists values that identify no record of a kind: unused ids, ids of other kinds, and malformed ids. */
function listWrongIds(kind: ParamKind): string[] {
  // A business is also a customer, and an internal account is also a ledger account.
  const equivalents: Partial<Record<ParamKind, ParamKind>> = {
    Customer: 'Business',
    LedgerAccount: 'InternalAccount',
  }
  const idsOfOtherKinds = Object.entries(world.ids).flatMap(([other, id]) =>
    other === kind || other === equivalents[kind] ? [] : [id!],
  )
  const malformed = [
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
  const validId = world.ids[kind] ?? buildMissingId(kind)
  const altered = [
    `${validId}x`,
    validId.slice(0, -1),
    // A device code contains no time, and its letter case and separators do not matter.
    ...(kind === 'DeviceCode'
      ? []
      : [
          // An id of this kind whose time is after the year 9999.
          validId.replace(/:[0-9a-f]{8}-[0-9a-f]{4}-/, ':ffffffff-ffff-'),
          validId.toLowerCase(),
          validId.replace(':', ''),
          validId.replace(/^\w+/, kind === 'Card' ? 'Quote' : 'Card'),
        ]),
  ]
  return [buildMissingId(kind), ...idsOfOtherKinds, ...malformed, ...altered, 'a'.repeat(255)]
}

const ID_PLACEHOLDER = 'mark'

const PARAMS = WITH_PARAMS.flatMap(([name, endpoint]) =>
  Object.keys((endpoint.params as unknown as JsonSchema).properties!).map(
    (param) => [`${name} {${param}}`, name, endpoint, findParamKind(endpoint, param)] as const,
  ),
)

describe.each(PARAMS)('%s', (_, name, endpoint, kind) => {
  const call = (id: string) => {
    const ids = idsFor(endpoint, world)
    const path = pathWith(endpoint, (other) => (other === kind ? ID_PLACEHOLDER : ids[other]!)).replace(
      ID_PLACEHOLDER,
      () => id,
    )
    return selectCaller(endpoint, world).send(endpoint.method, path, buildValidBody(name, ids))
  }

  test('returns 404 with one error code for every id that identifies no record', async () => {
    const errorBodies = new Set<string>()
    await forEach(listWrongIds(kind), async (id) => {
      const reply = await call(encodeURIComponent(id))
      expectDeclaredRefusal(endpoint, reply, `${endpoint.path} ${id}`)
      expect(reply.status, id).toBe(404)
      expect(reply.body.code, id).toMatch(/^\w+_NOT_FOUND$/)
      errorBodies.add(JSON.stringify(reply.body))
    })
    expect([...errorBodies]).toHaveLength(1)
  })

  test('refuses an id with a NUL, an id that is too long, and a broken escape', async () => {
    // A device code is looked up before its schema is checked, because it authenticates the caller.
    const code = endpoint.auth === 'deviceCode' ? 'DEVICE_CODE_NOT_FOUND' : 'INVALID_INPUT'
    const ids = ['a%00b', 'a'.repeat(256), 'a'.repeat(513), 'a'.repeat(5000)]
    await forEach(ids, async (id) => expectError(await call(id), { code, what: id }))
    const brokenEscapes = ['%', '%zz', '%ff', '%ED%A0%80', 'a%', '']
    await forEach(brokenEscapes, async (id) => {
      const reply = await call(id)
      expect([400, 404, 405], id).toContain(reply.status)
      expectError(reply, { code: reply.body.code, what: id })
    })
  })
})
