import type { Endpoint } from '@countersign/contract/core/endpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { type Client, newPlatform, type Reply, signIn } from '../worlds/client.testing.ts'
import type { Ids, ParamKind } from '../worlds/contract/bodies.testing.ts'
import {
  expectError,
  forEach,
  missingId,
  newWorld,
  pathWith,
  stateOf,
  validBody,
  type World,
} from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS, type JsonSchema } from '../worlds/contract/schemas.testing.ts'
import { testStrangersAreMissing } from '../worlds/contract/suites.testing.ts'
import { type CustomerClient, customerClient } from '../worlds/records/members.testing.ts'

let client: Client
let ours: World
/** Another customer's on our platform, and another platform's. */
let neighbours: World
let theirs: World
let customer: CustomerClient
let own: Ids
let others: readonly Ids[]
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
  own = await withSession(ours)
  others = [...(await Promise.all([neighbours, theirs].map(withSession))), await ofPlatform()]
  customer = await customerClient(client, ours.customer.id)
  await client.advance(0)
})

/** The platform's own records, which belong to no customer either. */
async function ofPlatform(): Promise<Ids> {
  const first = async (path: string) => (await client.get(path)).body.data[0].id
  const made = await client.post(
    '/platform/external-accounts',
    validBody('platform_external_account_create', {}),
  )
  return { InternalAccount: await first('/platform/internal-accounts'), ExternalAccount: made.body.id }
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

describe("of every customer, account and platform that is not the token's", () => {
  // None of these calls changes anything of theirs.
  let before: string
  const state = async () => toJson([await stateOf(theirs.client), await ofNeighbours()])
  const ofNeighbours = async () =>
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
    before = await state()
  })
  afterAll(async () => expect(await state()).toEqual(before))

  testStrangersAreMissing(ALLOWED, {
    send: (endpoint, path, body) => customer.send(endpoint.method, path, body),
    ids: () => own,
    strangers: (_, kind: ParamKind) => others.map((ids) => ids[kind]),
  })

  test.each(REFUSED)('%s is refused with any id', async (name, endpoint) => {
    for (const ids of [own, ...others]) {
      const path = pathWith(endpoint, (kind) => ids[kind] ?? missingId(kind))
      const reply = await customer.send(endpoint.method, path, validBody(name, { ...own, ...ids }))
      expectError(reply, { code: 'FORBIDDEN', what: name })
    }
  })
})

test('every list shows only records of the customer, also without a filter and with foreign ones', async () => {
  const lists = ALLOWED.filter(
    ([name, { method, params, query }]) =>
      method === 'GET' &&
      !params &&
      !(query as JsonSchema | undefined)?.required?.length &&
      name !== 'exchange_rate_list',
  )
  expect(lists.length).toBeGreaterThanOrEqual(5)
  const strangers = others.flatMap((ids) => Object.values(ids))
  await forEach(lists, async ([name, { path, query }]) => {
    const reply = await customer.get(path)
    expect(reply.status, name).toBe(200)
    const shown = toJson(reply.body)
    expect(reply.body.data.length, name).toBeGreaterThan(0)
    for (const id of strangers) expect(shown.includes(id), `${name} ${id}`).toBe(false)
    const members = Object.keys((query as unknown as JsonSchema).properties ?? {})
    for (const member of members.filter((one) => /customerId|cardholderId/i.test(one)))
      expect((await customer.get(`${path}?${member}=${neighbours.customer.id}`)).body.data, name).toEqual([])
  })
})

test('every allowed call works for the customer as for the backend', async () => {
  const refusals = new Set<string>()
  await forEach(ALLOWED, async ([name, endpoint]) => {
    // Calls that succeed only once have separate tests.
    if (name.endsWith('_delete') || name === 'quote_execute') return
    const path = pathWith(endpoint, (kind) => own[kind] ?? missingId(kind))
    const ask = async (caller: { send: CustomerClient['send'] }): Promise<Reply> => {
      const query = (endpoint.query as JsonSchema | undefined)?.required?.includes('accountId')
        ? `?accountId=${ours.customer.wallet}`
        : ''
      return caller.send(endpoint.method, path + query, validBody(name, own))
    }
    const [mine, backends] = [await ask(customer), await ask(client)]
    if (mine.status !== backends.status) refusals.add(`${name}: ${mine.status}, ${backends.status}`)
  })
  expect([...refusals]).toEqual([])
})
