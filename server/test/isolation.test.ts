import { beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../src/json.ts'
import {
  ENDPOINTS,
  forEach,
  kindOfParam,
  missingId,
  newWorld,
  type ParamKind,
  pathWith,
  stateOf,
  validBody,
  type World,
} from './calls.testing.ts'
import { newPlatform, type Reply } from './client.testing.ts'
import { type JsonSchema, kindsOf, membersOf, samples, withRaw } from './schemas.testing.ts'

let ours: World
let theirs: World
beforeAll(async () => {
  ;[ours, theirs] = await Promise.all([newWorld(await newPlatform()), newWorld(await newPlatform())])
})

/** An answer without the id that was asked for. */
function withoutId(reply: Reply, id: string) {
  return { status: reply.status, body: toJson(reply.body ?? null).replaceAll(id, '<id>') }
}

/** Asks for a record of the other platform and for one that nobody has: nothing tells them apart. */
async function expectAsIfMissing(what: string, kind: ParamKind, ask: (id: string) => Promise<Reply>) {
  const id = theirs.ids[kind]
  if (!id) return
  const [strange, missing] = [await ask(id), await ask(missingId(kind))]
  expect(withoutId(strange, id), what).toEqual(withoutId(missing, missingId(kind)))
  expect(strange.status, what).not.toBe(500)
}

const own = (kind: ParamKind) => ours.ids[kind] ?? missingId(kind)

describe('a record of another platform is as if it were not there', () => {
  const withParams = ENDPOINTS.filter(([, { params }]) => params)

  test.each(withParams)('in the address of %s', async (name, endpoint) => {
    const before = await stateOf(theirs.client)
    const [param] = Object.keys((endpoint.params as unknown as JsonSchema).properties!)
    const kind = kindOfParam(endpoint, param!)
    await expectAsIfMissing(name, kind, async (id) => {
      const path = pathWith(endpoint, () => id)
      const reply = await ours.client.send(endpoint.method, path, validBody(name, ours.ids))
      expect(reply.status, `${name} ${toJson(reply.body)}`).toBe(404)
      return reply
    })
    expect(await stateOf(theirs.client)).toEqual(before)
  })

  const withQuery = ENDPOINTS.filter(([, { query }]) => query)

  test.each(withQuery)('in the query of %s', async (name, endpoint) => {
    const { properties = {} } = endpoint.query as unknown as JsonSchema
    for (const [member, schema] of Object.entries(properties))
      for (const kind of kindsOf(schema) ?? [])
        await expectAsIfMissing(`${name} ${member}`, kind as ParamKind, (id) =>
          ours.client.send(endpoint.method, `${pathWith(endpoint, own)}?${member}=${id}`),
        )
  })

  const withBody = ENDPOINTS.filter(([, { body }]) => body)

  test.each(withBody)('in the body of %s', async (name, endpoint) => {
    const before = await stateOf(theirs.client)
    const schema = endpoint.body as unknown as JsonSchema
    const seen = new Set<string>()
    for (const sample of [validBody(name, ours.ids)!, ...samples(schema)]) {
      const present = membersOf(schema, sample)
      const ids = present.flatMap(({ path, schema }) =>
        (kindsOf(schema) ?? []).map((kind) => ({ path, kind })),
      )
      await forEach(ids, async ({ path, kind }) => {
        const what = `${name} ${path.join('.')} ${kind}`
        if (seen.has(what)) return
        seen.add(what)
        await expectAsIfMissing(what, kind as ParamKind, (id) =>
          ours.client.send(
            endpoint.method,
            pathWith(endpoint, own),
            withRaw(sample, path, JSON.stringify(id)),
          ),
        )
      })
    }
    expect(await stateOf(theirs.client)).toEqual(before)
  })
})

describe('lists', () => {
  test('show what is of the own platform only', async () => {
    const [mine, others] = [toJson(await stateOf(ours.client)), toJson(await stateOf(theirs.client))]
    for (const [kind, id] of Object.entries(theirs.ids)) expect(mine.includes(id!), kind).toBe(false)
    for (const [kind, id] of Object.entries(ours.ids)) expect(others.includes(id!), kind).toBe(false)
    for (const kind of ['Customer', 'Token', 'Transaction', 'ExternalAccount', 'InternalAccount'] as const)
      expect(mine, kind).toContain(ours.ids[kind])
  })

  test('are empty for the filter values of another platform', async () => {
    const theirCustomer = (await theirs.client.get(`/customers/${theirs.ids.Customer}`)).body
    const paid = (await theirs.client.get(`/transactions/${theirs.ids.Transaction}`)).body
    const queries = [
      `/customers?platformCustomerId=${theirCustomer.platformCustomerId}`,
      `/customers?umaAddress=${encodeURIComponent(theirCustomer.umaAddress)}`,
      `/transactions?customerId=${theirs.ids.Customer}`,
      `/transactions?platformCustomerId=${theirCustomer.platformCustomerId}`,
      `/transactions?accountIdentifier=${theirs.ids.InternalAccount}`,
      `/transactions?senderAccountIdentifier=${theirs.ids.InternalAccount}`,
      `/transactions?receiverAccountIdentifier=${theirs.ids.ExternalAccount}`,
      `/transactions?reference=${paid.reconciliationInstructions.reference}`,
    ]
    await forEach(queries, async (query) => {
      expect((await theirs.client.get(query)).body.data, query).toHaveLength(1)
      expect((await ours.client.get(query)).body, query).toEqual({ data: [], hasMore: false, totalCount: 0 })
    })
  })

  test('of unique names are kept apart: both platforms may use the same', async () => {
    const body = { customerType: 'INDIVIDUAL', platformCustomerId: 'the same', fullName: 'Ada Lovelace' }
    const [one, other] = [
      await ours.client.post('/customers', body),
      await theirs.client.post('/customers', body),
    ]
    expect([one.status, other.status]).toEqual([201, 201])
  })
})

test('a clock that one platform moves stands still for the other', async () => {
  const [moving, standing] = [await newPlatform(), await newPlatform()]
  await moving.advance(365 * 24 * 3600)
  const years = await Promise.all(
    [moving, standing].map(async (c) => (await c.get('/sandbox/clock')).body.now),
  )
  expect(Date.parse(years[0]) - Date.parse(years[1])).toBeGreaterThan(364 * 24 * 3600 * 1000)
})
