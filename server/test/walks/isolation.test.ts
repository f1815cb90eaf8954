import type { Endpoint } from '@countersign/contract/core/endpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { newPlatform } from '../worlds/client.testing.ts'
import type { ParamKind } from '../worlds/contract/bodies.testing.ts'
import {
  buildValidBody,
  forEach,
  idsFor,
  newWorld,
  selectCaller,
  stateOf,
  type World,
} from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS, type JsonSchema } from '../worlds/contract/schemas.testing.ts'
import { testForeignIdsAreMissing } from '../worlds/contract/suites.testing.ts'
import { type AgentClient, newAgent } from '../worlds/records/agents.testing.ts'

let ours: World
/** The records of another platform. */
let theirs: World
/** The records of another customer on our platform, with a separate agent. */
let neighbours: World
/** Another agent of our customer. */
let sibling: AgentClient
let siblingIds: World['ids']
beforeAll(async () => {
  const client = await newPlatform()
  ;[ours, theirs, neighbours] = await Promise.all([
    newWorld(client),
    newWorld(await newPlatform()),
    newWorld(client),
  ])
  sibling = await newAgent(client, ours.customer.id, { defaultExecutionMode: 'APPROVAL_REQUIRED' })
  const quote = await sibling.post('/agents/me/quotes', buildValidBody('agent_me_quote_create', ours.ids))
  const { body } = await sibling.post(`/agents/me/quotes/${quote.body.id}/execute`)
  siblingIds = { Quote: quote.body.id, AgentAction: body.id }
})

/** Lists the ids of this kind that an endpoint must not show. */
function listHiddenIds({ auth, path }: Endpoint, kind: ParamKind): readonly (string | undefined)[] {
  const hiddenIds = [theirs.ids[kind]]
  if (auth === 'agent') hiddenIds.push(neighbours.ids[kind], neighbours.ofAgent[kind], siblingIds[kind])
  // The path names the agent that owns the action.
  else if (kind === 'AgentAction' && path.includes('{actionId}'))
    hiddenIds.push(neighbours.ids[kind], siblingIds[kind])
  return hiddenIds
}

/** Reads every record that the calls must not change. */
const readProtectedState = async () => toJson([await stateOf(theirs.client), await stateOf(ours.client)])

describe('a record of another platform, customer or agent is treated as missing', () => {
  // None of these calls changes anything. If one does, run with `-t` and an endpoint's name to find it.
  let before: string
  beforeAll(async () => {
    await ours.client.advance(0)
    before = await readProtectedState()
  })
  afterAll(async () => expect(await readProtectedState()).toEqual(before))

  testForeignIdsAreMissing(ENDPOINTS, {
    send: (endpoint, path, body) => selectCaller(endpoint, ours).send(endpoint.method, path, body),
    ids: (endpoint) => idsFor(endpoint, ours),
    listHiddenIds,
  })
})

const AGENT_LIST_PATHS = ENDPOINTS.filter(
  ([, { auth, method, params, query }]) =>
    auth === 'agent' && method === 'GET' && !params && !(query as JsonSchema | undefined)?.required?.length,
).map(([, { path }]) => path)

describe('a list', () => {
  test("shows only records of the caller's platform", { tags: 'smoke' }, async () => {
    const [ourState, theirState] = [toJson(await stateOf(ours.client)), toJson(await stateOf(theirs.client))]
    for (const [kind, id] of Object.entries(theirs.ids)) expect(ourState.includes(id!), kind).toBe(false)
    for (const [kind, id] of Object.entries(ours.ids)) expect(theirState.includes(id!), kind).toBe(false)
    for (const kind of ['Customer', 'Token', 'Transaction', 'ExternalAccount', 'InternalAccount'] as const)
      expect(ourState, kind).toContain(ours.ids[kind])
  })

  test('shows an agent only records of its customer, and only its own actions', async () => {
    const shown = toJson(
      await Promise.all(AGENT_LIST_PATHS.map(async (path) => (await ours.agent.get(path)).body)),
    )
    for (const kind of ['Customer', 'InternalAccount', 'ExternalAccount', 'Quote', 'Transaction'] as const) {
      expect(shown, kind).toContain(ours.ids[kind])
      for (const hidden of [theirs, neighbours]) expect(shown.includes(hidden.ids[kind]!), kind).toBe(false)
    }
    expect(shown).toContain(ours.ids.AgentAction)
    for (const id of [theirs.ids.AgentAction, neighbours.ids.AgentAction, siblingIds.AgentAction])
      expect(shown.includes(id!)).toBe(false)
  })

  test('is empty if it is filtered by values of another platform', async () => {
    const theirCustomer = (await theirs.client.get(`/customers/${theirs.ids.Customer}`)).body
    const payment = (await theirs.client.get(`/transactions/${theirs.ids.Transaction}`)).body
    const queries = [
      `/customers?platformCustomerId=${theirCustomer.platformCustomerId}`,
      `/customers?umaAddress=${encodeURIComponent(theirCustomer.umaAddress)}`,
      `/transactions?customerId=${theirs.ids.Customer}`,
      `/transactions?platformCustomerId=${theirCustomer.platformCustomerId}`,
      `/transactions?accountIdentifier=${theirs.ids.InternalAccount}`,
      `/transactions?senderAccountIdentifier=${theirs.ids.InternalAccount}`,
      `/transactions?receiverAccountIdentifier=${theirs.ids.ExternalAccount}`,
      `/transactions?reference=${payment.reconciliationInstructions.reference}`,
    ]
    await forEach(queries, async (query) => {
      expect((await theirs.client.get(query)).body.data, query).not.toEqual([])
      expect((await ours.client.get(query)).body, query).toEqual({ data: [], hasMore: false, totalCount: 0 })
    })
  })

  test('requires unique names only within a platform, so two platforms may use the same name', async () => {
    const body = { customerType: 'INDIVIDUAL', platformCustomerId: 'the same', fullName: 'Ada Lovelace' }
    const [ourReply, theirReply] = [
      await ours.client.post('/customers', body),
      await theirs.client.post('/customers', body),
    ]
    expect([ourReply.status, theirReply.status]).toEqual([201, 201])
  })
})

test("moving the clock of one platform does not move another's", async () => {
  const [movingPlatform, standingPlatform] = [await newPlatform(), await newPlatform()]
  await movingPlatform.advance(365 * 24 * 3600)
  const times = await Promise.all(
    [movingPlatform, standingPlatform].map(
      async (platform) => (await platform.get('/sandbox/clock')).body.now,
    ),
  )
  expect(Date.parse(times[0]) - Date.parse(times[1])).toBeGreaterThan(364 * 24 * 3600 * 1000)
})
