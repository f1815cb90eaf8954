import type { Endpoint } from '@countersign/contract/core/endpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { newPlatform } from '../worlds/client.testing.ts'
import type { ParamKind } from '../worlds/contract/bodies.testing.ts'
import {
  callerOf,
  forEach,
  idsFor,
  newWorld,
  stateOf,
  validBody,
  type World,
} from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS, type JsonSchema } from '../worlds/contract/schemas.testing.ts'
import { testStrangersAreMissing } from '../worlds/contract/suites.testing.ts'
import { type AgentClient, newAgent } from '../worlds/records/agents.testing.ts'

let ours: World
/** Another platform's. */
let theirs: World
/** Another customer's on our platform, with a separate agent. */
let neighbours: World
/** Another agent of our customer. */
let sibling: AgentClient
let ofSibling: World['ids']
beforeAll(async () => {
  const client = await newPlatform()
  ;[ours, theirs, neighbours] = await Promise.all([
    newWorld(client),
    newWorld(await newPlatform()),
    newWorld(client),
  ])
  sibling = await newAgent(client, ours.customer.id, { defaultExecutionMode: 'APPROVAL_REQUIRED' })
  const quote = await sibling.post('/agents/me/quotes', validBody('agent_me_quote_create', ours.ids))
  const { body } = await sibling.post(`/agents/me/quotes/${quote.body.id}/execute`)
  ofSibling = { Quote: quote.body.id, AgentAction: body.id }
})

/** The owners whose records of this kind an endpoint must not show. */
function strangersTo({ auth, path }: Endpoint, kind: ParamKind): readonly (string | undefined)[] {
  const strangers = [theirs.ids[kind]]
  if (auth === 'agent') strangers.push(neighbours.ids[kind], neighbours.ofAgent[kind], ofSibling[kind])
  // Its address names the agent that owns it.
  else if (kind === 'AgentAction' && path.includes('{actionId}'))
    strangers.push(neighbours.ids[kind], ofSibling[kind])
  return strangers
}

/** The current state of everything that must not change. */
const strangersState = async () => toJson([await stateOf(theirs.client), await stateOf(ours.client)])

describe('a record of another platform, customer or agent is treated as missing', () => {
  // None of these calls changes anything. `-t` with the name of an endpoint shows which one did.
  let before: string
  beforeAll(async () => {
    await ours.client.advance(0)
    before = await strangersState()
  })
  afterAll(async () => expect(await strangersState()).toEqual(before))

  testStrangersAreMissing(ENDPOINTS, {
    send: (endpoint, path, body) => callerOf(endpoint, ours).send(endpoint.method, path, body),
    ids: (endpoint) => idsFor(endpoint, ours),
    strangers: strangersTo,
  })
})

const OF_AGENT = ENDPOINTS.filter(
  ([, { auth, method, params, query }]) =>
    auth === 'agent' && method === 'GET' && !params && !(query as JsonSchema | undefined)?.required?.length,
).map(([, { path }]) => path)

describe('lists', () => {
  test("show only records of the caller's platform", { tags: 'smoke' }, async () => {
    const [mine, others] = [toJson(await stateOf(ours.client)), toJson(await stateOf(theirs.client))]
    for (const [kind, id] of Object.entries(theirs.ids)) expect(mine.includes(id!), kind).toBe(false)
    for (const [kind, id] of Object.entries(ours.ids)) expect(others.includes(id!), kind).toBe(false)
    for (const kind of ['Customer', 'Token', 'Transaction', 'ExternalAccount', 'InternalAccount'] as const)
      expect(mine, kind).toContain(ours.ids[kind])
  })

  test('show an agent only records of its own customer, and only its own actions', async () => {
    const seen = toJson(await Promise.all(OF_AGENT.map(async (path) => (await ours.agent.get(path)).body)))
    for (const kind of ['Customer', 'InternalAccount', 'ExternalAccount', 'Quote', 'Transaction'] as const) {
      expect(seen, kind).toContain(ours.ids[kind])
      for (const other of [theirs, neighbours]) expect(seen.includes(other.ids[kind]!), kind).toBe(false)
    }
    expect(seen).toContain(ours.ids.AgentAction)
    for (const id of [theirs.ids.AgentAction, neighbours.ids.AgentAction, ofSibling.AgentAction])
      expect(seen.includes(id!)).toBe(false)
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
      expect((await theirs.client.get(query)).body.data, query).not.toEqual([])
      expect((await ours.client.get(query)).body, query).toEqual({ data: [], hasMore: false, totalCount: 0 })
    })
  })

  test('of unique names are separate: both platforms may use one name', async () => {
    const body = { customerType: 'INDIVIDUAL', platformCustomerId: 'the same', fullName: 'Ada Lovelace' }
    const [one, other] = [
      await ours.client.post('/customers', body),
      await theirs.client.post('/customers', body),
    ]
    expect([one.status, other.status]).toEqual([201, 201])
  })
})

test("moving the clock of one platform does not move another's", async () => {
  const [moving, standing] = [await newPlatform(), await newPlatform()]
  await moving.advance(365 * 24 * 3600)
  const years = await Promise.all(
    [moving, standing].map(async (c) => (await c.get('/sandbox/clock')).body.now),
  )
  expect(Date.parse(years[0]) - Date.parse(years[1])).toBeGreaterThan(364 * 24 * 3600 * 1000)
})
