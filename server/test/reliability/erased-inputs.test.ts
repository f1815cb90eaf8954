import type { EndpointName } from '@countersign/contract/api'
import { sensitivityOf } from '@countersign/contract/core/sensitivity'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidOf } from '../../src/storage/engine/ids.ts'
import {
  callerOf,
  idsFor,
  newWorld,
  pathWith,
  validBody,
  type World,
} from '../worlds/contract/calls.testing.ts'
import {
  ENDPOINTS,
  type Json,
  type JsonSchema,
  membersOf,
  withRaw,
} from '../worlds/contract/schemas.testing.ts'
import { placesOf } from '../worlds/records/erasures.testing.ts'
import { openServer, type TestServer } from '../worlds/server.testing.ts'

const YEARS_SECONDS = 1825 * 86_400

let host: TestServer
let world: World
beforeAll(async () => {
  host = await openServer()
  world = await newWorld(await host.newPlatform())
})
afterAll(() => host.close())

/** By text, the input that it was written into. */
const marks = new Map<string, string>()

function newMark(input: string): string {
  const mark = `quixotemark${marks.size}x`
  marks.set(mark, input)
  return mark
}

/** Tells properties that take any string, or an object with any. */
function isFree({
  type,
  pattern,
  format,
  enum: words,
  ...schema
}: JsonSchema): 'text' | 'object' | undefined {
  if (sensitivityOf({ ...schema, ...(type === undefined ? {} : { type }) } as object) === 'plain')
    return undefined
  if (type === 'string' && (pattern ?? format ?? words) === undefined) return 'text'
  return type === 'object' && !schema.properties && !schema.oneOf ? 'object' : undefined
}

/** A body with a separate mark in every free property. */
function marked(name: EndpointName, schema: JsonSchema, body: Json): Json {
  return membersOf(schema, body).reduce<Json>((text, { path, schema: member }) => {
    const kind = isFree(member)
    if (!kind) return text
    const mark = newMark(`${name} ${path.join('.')}`)
    return JSON.parse(withRaw(text, path, kind === 'text' ? `"${mark}"` : `{"FULL_NAME":"${mark}"}`))
  }, body)
}

/** The optional free members of the outermost object, but names of other records, which a body of a test may leave out. */
function withOptional(schema: JsonSchema, body: Json): Json {
  const free = Object.entries(schema.properties ?? {}).filter(
    ([name, member]) => isFree(member) !== undefined && !name.endsWith('Id'),
  )
  const made = free.map(([name, member]) => [name, isFree(member) === 'text' ? 'x' : {}] as const)
  return { ...Object.fromEntries(made), ...(body as object) } as Json
}

/** Calls about the platform and its people, not about a customer. */
const OF_PLATFORM: readonly EndpointName[] = [
  'config_update',
  'token_create',
  'member_invite',
  'member_update',
  'member_me_update',
  'member_role_create',
  'member_role_update',
  'member_passkey_create',
  'platform_external_account_create',
  'own_account_create',
  'platform_withdrawal_create',
  'treasury_movement_create',
  'treasury_key_create',
  'payout_batch_create',
  'stablecoin_account_link',
  'webhook_secret_create',
]

/** Calls that end what others need, or move the clock. */
const LEFT_OUT: readonly EndpointName[] = [
  'sandbox_clock_advance',
  'sandbox_reset',
  'customer_delete',
  'agent_delete',
  'member_sign_out',
]

/** Marks that stay, and why. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  // The name of a shop.
  'sandbox_card_authorization merchant.descriptor': ['card_transactions.merchant'],
  // Money in suspense that nobody was found for.
  'sandbox_deposit remittanceInformation': ['deposits.details', 'events.data'],
  'deposit_split reason': ['deposits.details', 'events.data'],
  // Reports of the sandbox's bank that name nobody's payment.
  'rail_event_resolve note': ['rail_events.note'],
  'sandbox_rail_event message': ['rail_events.body'],
  'sandbox_rail_event paymentId': ['rail_events.body'],
}

test('a text from any input about a customer is nowhere in the database after the erasure', async () => {
  const { client, ids } = world
  const accepted = new Set<string>()
  const made: string[] = [ids.Customer!, ids.Business!]
  for (const [name, endpoint] of ENDPOINTS) {
    if (!endpoint.body || endpoint.upload || LEFT_OUT.includes(name) || OF_PLATFORM.includes(name)) continue
    const caller = callerOf(endpoint, world)
    const own = idsFor(endpoint, world)
    const path = pathWith(endpoint, (kind) => own[kind] ?? 'x')
    const schema = endpoint.body as JsonSchema
    const body = marked(name, schema, withOptional(schema, validBody(name, own)!))
    for (const one of [body, marked(name, schema, validBody(name, own)!)]) {
      const reply = await caller.send(endpoint.method, path, one)
      if (reply.status < 300) accepted.add(name)
      if (name === 'customer_create' && reply.status === 201) made.push(reply.body.id)
    }
    // Refused ones too: what is not accepted may be kept in logs.
    await caller.send(endpoint.method, path, { ...(body as object), unknown: newMark(`${name} unknown`) })
  }
  expect([...accepted]).toEqual(
    expect.arrayContaining(['customer_create', 'quote_create', 'agent_create', 'transfer_out']),
  )
  expect(marks.size).toBeGreaterThan(80)
  await client.advance(3600)
  for (const id of made) {
    const agents = (await client.get(`/agents?customerId=${id}`)).body.data
    for (const agent of agents) await client.send('DELETE', `/agents/${agent.id}`)
  }
  const all = [...made, ...(await customersOf())]
  for (const id of new Set(all)) {
    const gone = await client.send('DELETE', `/customers/${id}`)
    // One who still has money cannot be deleted by the API. What is erased does not depend on it.
    if (gone.status === 409)
      await host.app.db.query('UPDATE customers SET deleted_at = $2 WHERE id = $1', [
        uuidOf(id),
        (await client.get('/sandbox/clock')).body.now,
      ])
    await client.post(`/customers/${id}/erasure`)
  }
  await client.advance(YEARS_SECONDS)
  await host.app.requestLog.flush()
  for (const id of new Set(all))
    expect((await client.get(`/customers/${id}/erasure`)).body, id).toMatchObject({ status: 'DONE' })
  const places = await placesOf(host.app.db, [...marks.keys()])
  // Each month of events is a separate table.
  const isWhole = (place: string) =>
    !/^(events|event_records|audit_events|webhook_\w+)_(first|\d+)/.test(place)
  const left = [...places]
    .filter(([, found]) => found.length > 0)
    .map(([mark, found]) => [marks.get(mark), found.filter(isWhole)])
  expect(Object.fromEntries(left)).toEqual(KEPT)
})

async function customersOf(): Promise<string[]> {
  return (await world.client.get('/customers?limit=100')).body.data.map(({ id }: { id: string }) => id)
}
