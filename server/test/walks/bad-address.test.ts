import type { Endpoint } from '@countersign/contract/core/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { newPlatform } from '../worlds/client.testing.ts'
import type { ParamKind } from '../worlds/contract/bodies.testing.ts'
import {
  callerOf,
  expectDeclaredRefusal,
  expectError,
  forEach,
  idsFor,
  kindOfParam,
  missingId,
  newWorld,
  pathToNothing,
  pathWith,
  validBody,
  type World,
} from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS, type JsonSchema } from '../worlds/contract/schemas.testing.ts'

let world: World
beforeAll(async () => {
  world = await newWorld(await newPlatform())
})

/** The path of an endpoint, to a record that exists. */
const pathOf = (endpoint: Endpoint) => pathWith(endpoint, (kind) => idsFor(endpoint, world)[kind]!)

const WITH_QUERY = ENDPOINTS.flatMap(([name, endpoint]) => {
  const names = Object.keys((endpoint.query as JsonSchema | undefined)?.properties ?? {})
  return names.length > 0 ? [[name, endpoint, names] as const] : []
})

const ODD = ['__proto__=1', '__proto__[a]=1', 'constructor=1', 'toString=1', '%', '%zz=1', '=', '%00=%00']
/** An address with this has no query: there is nothing between the signs. */
const NO_QUERY = '&&&'
const ODD_VALUES = ['=%', '=%ED%A0%80', '=%ff', '']

describe.each(WITH_QUERY)('%s refuses a query, naming the field,', (_, endpoint, names) => {
  const isRead = endpoint.method === 'GET'

  test('without a fault: odd fields and escapes', async () => {
    const odd = [...ODD, ...names.flatMap((name) => ODD_VALUES.map((value) => `${name}${value}`))]
    await forEach(odd, async (text) => {
      const reply = await callerOf(endpoint, world).send(endpoint.method, `${pathOf(endpoint)}?${text}`)
      if (isRead && reply.status === 200) return
      expectDeclaredRefusal(endpoint, reply, `${endpoint.path}?${text}`)
      // Checked before the record is searched, so that it stays unchanged.
      if (!isRead) expect(reply.status, text).toBe(400)
    })
  })

  test('but accepts a query without fields', async () => {
    const send = (path: string) => callerOf(endpoint, world).send(endpoint.method, path)
    // A write finds no record there, so it changes nothing.
    const path = isRead ? pathOf(endpoint) : pathToNothing(endpoint)
    const [bare, odd] = await Promise.all([send(path), send(`${path}?${NO_QUERY}`)])
    expect([odd.status, odd.body?.code]).toEqual([bare.status, bare.body?.code])
  })
})

test('the operation refuses a query with an invalid UMA address, naming the field', {
  tags: 'smoke',
}, async () => {
  const found = WITH_QUERY.flatMap(([, endpoint, names]) =>
    names.filter((name) => /UmaAddress$/.test(name)).map((name) => [endpoint, name] as const),
  )
  expect(found.length).toBeGreaterThan(0)
  for (const [endpoint, field] of found) {
    const reply = await callerOf(endpoint, world).send('GET', `${pathOf(endpoint)}?${field}=a%00b`)
    expectError(reply, { code: 'INVALID_UMA_ADDRESS', field })
  }
})

/** An invalid UMA address is a bad request, and nothing else (`receivers.test.ts`). */
const WITH_PARAMS = ENDPOINTS.filter(
  ([, { params, path }]) => params !== undefined && !path.endsWith('/{receiverUmaAddress}'),
)

/** Values in place of an id in an address: well-formed but unused, of another kind, not an id at all. */
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
    // A code may be written in many ways, and has no time.
    ...(kind === 'DeviceCode'
      ? []
      : [
          // Of its kind, and of a time after the year 9999.
          near.replace(/:[0-9a-f]{8}-[0-9a-f]{4}-/, ':ffffffff-ffff-'),
          near.toLowerCase(),
          near.replace(':', ''),
          near.replace(/^\w+/, kind === 'Card' ? 'Quote' : 'Card'),
        ]),
  ]
  return [missingId(kind), ...others, ...odd, ...almost, 'a'.repeat(255)]
}

/** Placeholder for an id in an address. */
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

  test('returns 404 with its own code for every id that is not of its records', async () => {
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
    const ids = ['a%00b', 'a'.repeat(256), 'a'.repeat(513), 'a'.repeat(5000)]
    await forEach(ids, async (id) => expectError(await call(id), { code: unreadable, what: id }))
    const noAddresses = ['%', '%zz', '%ff', '%ED%A0%80', 'a%', '']
    await forEach(noAddresses, async (id) => {
      const reply = await call(id)
      expect([400, 404, 405], id).toContain(reply.status)
      expectError(reply, { code: reply.body.code, what: id })
    })
  })
})
