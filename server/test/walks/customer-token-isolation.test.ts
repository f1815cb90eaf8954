import type { Endpoint } from '@countersign/contract/core/endpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { type Client, newPlatform, type Reply, signIn } from '../worlds/client.testing.ts'
import type { Ids, ParamKind } from '../worlds/contract/bodies.testing.ts'
import {
  buildMissingId,
  buildValidBody,
  expectError,
  forEach,
  newWorld,
  pathWith,
  stateOf,
  type World,
} from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS, type JsonSchema } from '../worlds/contract/schemas.testing.ts'
import { testForeignIdsAreMissing } from '../worlds/contract/suites.testing.ts'
import { type CustomerClient, newCustomerClient } from '../worlds/records/members.testing.ts'

let client: Client
let ours: World
/** The records of another customer on our platform. */
let neighbours: World
/** The records of another platform. */
let theirs: World
let customer: CustomerClient
let ownIds: Ids
let foreignIds: readonly Ids[]
beforeAll(async () => {
  client = await newPlatform()
  ;[ours, neighbours, theirs] = await Promise.all([
    newWorld(client),
    newWorld(client),
    newWorld(await newPlatform()),
  ])
  const withSession = async ({ client, customer, ids }: World): Promise<Ids> => ({
    ...ids,
    Session: (await signIn(client, customer.wallet)).sessionId,
  })
  ownIds = await withSession(ours)
  foreignIds = [...(await Promise.all([neighbours, theirs].map(withSession))), await createPlatformAccounts()]
  customer = await newCustomerClient(client, ours.customer.id)
  await client.advance(0)
})

/** Accounts that belong to the platform, so to no customer. */
async function createPlatformAccounts(): Promise<Ids> {
  const readFirstId = async (path: string) => (await client.get(path)).body.data[0].id
  const externalAccount = await client.post(
    '/platform/external-accounts',
    buildValidBody('platform_external_account_create', {}),
  )
  return {
    InternalAccount: await readFirstId('/platform/internal-accounts'),
    ExternalAccount: externalAccount.body.id,
  }
}

const isForCustomers = (endpoint: Endpoint) => endpoint.auth === 'platform' && endpoint.customerToken === true
const ALLOWED = ENDPOINTS.filter(([, endpoint]) => isForCustomers(endpoint))
const REFUSED = ENDPOINTS.filter(([, endpoint]) => endpoint.auth === 'platform' && !isForCustomers(endpoint))

test("a customer's token allows exactly the listed calls", () => {
  expect(ALLOWED.map(([name]) => name).sort()).toEqual(
    [
      ...['card_get', 'card_list', 'card_transaction_list', 'card_update'],
      ...['credential_challenge', 'credential_create', 'credential_delete', 'credential_list'],
      ...['credential_verify', 'customer_external_account_create', 'customer_external_account_delete'],
      ...['customer_external_account_get', 'customer_external_account_list'],
      ...['customer_internal_account_list', 'delegated_key_create', 'delegated_key_delete'],
      ...['delegated_key_get', 'delegated_key_list', 'exchange_rate_list', 'internal_account_export'],
      ...['internal_account_update', 'quote_create', 'quote_execute', 'quote_get', 'session_delete'],
      ...['session_list', 'session_refresh', 'transaction_get', 'transaction_list'],
    ].sort(),
  )
})

describe("a customer's token", () => {
  // None of these calls changes a record of another owner.
  let before: string
  const readForeignState = async () => toJson([await stateOf(theirs.client), await readNeighbourState()])
  const readNeighbourState = async () =>
    Promise.all(
      [
        `/customers/internal-accounts?customerId=${neighbours.customer.id}`,
        `/customers/external-accounts?customerId=${neighbours.customer.id}`,
        `/transactions?customerId=${neighbours.customer.id}`,
        `/cards?cardholderId=${neighbours.customer.id}`,
        `/auth/credentials?accountId=${neighbours.customer.wallet}`,
        `/auth/sessions?accountId=${neighbours.customer.wallet}`,
        '/platform/internal-accounts',
        '/platform/external-accounts',
      ].map(async (path) => (await client.get(path)).body),
    )
  beforeAll(async () => {
    before = await readForeignState()
  })
  afterAll(async () => expect(await readForeignState()).toEqual(before))

  describe('treats a record of another customer or platform as missing', () => {
    testForeignIdsAreMissing(ALLOWED, {
      send: (endpoint, path, body) => customer.send(endpoint.method, path, body),
      ids: () => ownIds,
      listHiddenIds: (_, kind: ParamKind) => foreignIds.map((ids) => ids[kind]),
    })
  })

  test.each(REFUSED)('cannot call %s with any id', async (name, endpoint) => {
    for (const ids of [ownIds, ...foreignIds]) {
      const path = pathWith(endpoint, (kind) => ids[kind] ?? buildMissingId(kind))
      const reply = await customer.send(endpoint.method, path, buildValidBody(name, { ...ownIds, ...ids }))
      expectError(reply, { code: 'FORBIDDEN', what: name })
    }
  })
})

test('every list shows a customer only its own records, with no filter and with a filter for another customer', async () => {
  const lists = ALLOWED.filter(
    ([name, { method, params, query }]) =>
      method === 'GET' &&
      !params &&
      !(query as JsonSchema | undefined)?.required?.length &&
      name !== 'exchange_rate_list',
  )
  expect(lists.length).toBeGreaterThanOrEqual(5)
  const hiddenIds = foreignIds.flatMap((ids) => Object.values(ids))
  await forEach(lists, async ([name, { path, query }]) => {
    const reply = await customer.get(path)
    expect(reply.status, name).toBe(200)
    const shown = toJson(reply.body)
    expect(reply.body.data.length, name).toBeGreaterThan(0)
    for (const id of hiddenIds) expect(shown.includes(id), `${name} ${id}`).toBe(false)
    const parameters = Object.keys((query as unknown as JsonSchema).properties ?? {})
    for (const parameter of parameters.filter((name) => /customerId|cardholderId/i.test(name)))
      expect((await customer.get(`${path}?${parameter}=${neighbours.customer.id}`)).body.data, name).toEqual(
        [],
      )
  })
})

test('every allowed call returns the same status to a customer and to the backend', async () => {
  const differences = new Set<string>()
  await forEach(ALLOWED, async ([name, endpoint]) => {
    // Calls that succeed only once have separate tests.
    if (name.endsWith('_delete') || name === 'quote_execute') return
    const path = pathWith(endpoint, (kind) => ownIds[kind] ?? buildMissingId(kind))
    const sendAs = async (caller: { send: CustomerClient['send'] }): Promise<Reply> => {
      const query = (endpoint.query as JsonSchema | undefined)?.required?.includes('accountId')
        ? `?accountId=${ours.customer.wallet}`
        : ''
      return caller.send(endpoint.method, path + query, buildValidBody(name, ownIds))
    }
    const [customerReply, backendReply] = [await sendAs(customer), await sendAs(client)]
    if (customerReply.status !== backendReply.status)
      differences.add(`${name}: ${customerReply.status}, ${backendReply.status}`)
  })
  expect([...differences]).toEqual([])
})
