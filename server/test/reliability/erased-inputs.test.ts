import type { EndpointName } from '@countersign/contract/api'
import { getSensitivity } from '@countersign/contract/core/sensitivity'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { extractUuid } from '../../src/storage/engine/ids.ts'
import {
  buildValidBody,
  idsFor,
  newWorld,
  pathWith,
  selectCaller,
  type World,
} from '../worlds/contract/calls.testing.ts'
import {
  ENDPOINTS,
  type Json,
  type JsonSchema,
  membersOf,
  withRaw,
} from '../worlds/contract/schemas.testing.ts'
import { findPlaces } from '../worlds/records/erasures.testing.ts'
import { openServer, type TestServer } from '../worlds/server.testing.ts'

const YEARS_SECONDS = 1825 * 86_400

let host: TestServer
let world: World
beforeAll(async () => {
  host = await openServer()
  world = await newWorld(await host.newPlatform())
})
afterAll(() => host.close())

/** The input that each mark was written into. */
const marks = new Map<string, string>()

function newMark(input: string): string {
  const mark = `quixotemark${marks.size}x`
  marks.set(mark, input)
  return mark
}

/** Returns the kind of free input that a property takes: any string, or an object with any fields. */
function findFreeKind({
  type,
  pattern,
  format,
  enum: allowedValues,
  ...schema
}: JsonSchema): 'text' | 'object' | undefined {
  if (getSensitivity({ ...schema, ...(type === undefined ? {} : { type }) } as object) === 'plain')
    return undefined
  if (type === 'string' && (pattern ?? format ?? allowedValues) === undefined) return 'text'
  return type === 'object' && !schema.properties && !schema.oneOf ? 'object' : undefined
}

/** Puts a separate mark into every free property of a body. */
function addMarks(name: EndpointName, schema: JsonSchema, body: Json): Json {
  return membersOf(schema, body).reduce<Json>((text, { path, schema: member }) => {
    const kind = findFreeKind(member)
    if (!kind) return text
    const mark = newMark(`${name} ${path.join('.')}`)
    return JSON.parse(withRaw(text, path, kind === 'text' ? `"${mark}"` : `{"FULL_NAME":"${mark}"}`))
  }, body)
}

/** Adds the free properties of the outermost object that a test body may leave out, except references to other records. */
function addOptional(schema: JsonSchema, body: Json): Json {
  const free = Object.entries(schema.properties ?? {}).filter(
    ([name, member]) => findFreeKind(member) !== undefined && !name.endsWith('Id'),
  )
  const defaults = free.map(([name, member]) => [name, findFreeKind(member) === 'text' ? 'x' : {}] as const)
  return { ...Object.fromEntries(defaults), ...(body as object) } as Json
}

/** Calls about the platform and its people, not about a customer. */
const PLATFORM_CALLS: readonly EndpointName[] = [
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

/** Calls that delete records that other calls need, or move the clock. */
const LEFT_OUT: readonly EndpointName[] = [
  'sandbox_clock_advance',
  'sandbox_reset',
  'customer_delete',
  'agent_delete',
  'member_sign_out',
]

/** The places where marks stay, by input. */
const REMAINING_MARKS: Readonly<Record<string, readonly string[]>> = {
  // The name of a shop.
  'sandbox_card_authorization merchant.descriptor': ['card_transactions.merchant'],
  // Money in suspense whose owner is unknown.
  'sandbox_deposit remittanceInformation': ['deposits.details', 'events.data'],
  'deposit_split reason': ['deposits.details', 'events.data'],
  // Reports of the sandbox bank that match no payment.
  'rail_event_resolve note': ['rail_events.note'],
  'sandbox_rail_event message': ['rail_events.body'],
  'sandbox_rail_event paymentId': ['rail_events.body'],
}

test('after an erasure, the database contains no text from any input about the customer', async () => {
  const { client, ids: worldIds } = world
  const accepted = new Set<string>()
  const customerIds: string[] = [worldIds.Customer!, worldIds.Business!]
  for (const [name, endpoint] of ENDPOINTS) {
    if (!endpoint.body || endpoint.upload || LEFT_OUT.includes(name) || PLATFORM_CALLS.includes(name))
      continue
    const caller = selectCaller(endpoint, world)
    const ids = idsFor(endpoint, world)
    const path = pathWith(endpoint, (kind) => ids[kind] ?? 'x')
    const schema = endpoint.body as JsonSchema
    const body = addMarks(name, schema, addOptional(schema, buildValidBody(name, ids)!))
    for (const input of [body, addMarks(name, schema, buildValidBody(name, ids)!)]) {
      const reply = await caller.send(endpoint.method, path, input)
      if (reply.status < 300) accepted.add(name)
      if (name === 'customer_create' && reply.status === 201) customerIds.push(reply.body.id)
    }
    // Also sends a refused body, because logs may contain refused input.
    await caller.send(endpoint.method, path, { ...(body as object), unknown: newMark(`${name} unknown`) })
  }
  expect([...accepted]).toEqual(
    expect.arrayContaining(['customer_create', 'quote_create', 'agent_create', 'transfer_out']),
  )
  expect(marks.size).toBeGreaterThan(80)
  await client.advance(3600)
  for (const id of customerIds) {
    const agents = (await client.get(`/agents?customerId=${id}`)).body.data
    for (const agent of agents) await client.send('DELETE', `/agents/${agent.id}`)
  }
  const allIds = [...customerIds, ...(await listCustomerIds())]
  for (const id of new Set(allIds)) {
    const deleted = await client.send('DELETE', `/customers/${id}`)
    // The API does not delete a customer who has money. The erasure does not depend on how the customer was deleted.
    if (deleted.status === 409)
      await host.app.db.query('UPDATE customers SET deleted_at = $2 WHERE id = $1', [
        extractUuid(id),
        (await client.get('/sandbox/clock')).body.now,
      ])
    await client.post(`/customers/${id}/erasure`)
  }
  await client.advance(YEARS_SECONDS)
  await host.app.requestLog.flush()
  for (const id of new Set(allIds))
    expect((await client.get(`/customers/${id}/erasure`)).body, id).toMatchObject({ status: 'DONE' })
  const places = await findPlaces(host.app.db, [...marks.keys()])
  // Skips the partitions, which repeat the rows of their table.
  const isWholeTable = (place: string) =>
    !/^(events|event_records|audit_events|webhook_\w+)_(first|\d+)/.test(place)
  const remaining = [...places]
    .filter(([, found]) => found.length > 0)
    .map(([mark, found]) => [marks.get(mark), found.filter(isWholeTable)])
  expect(Object.fromEntries(remaining)).toEqual(REMAINING_MARKS)
})

async function listCustomerIds(): Promise<string[]> {
  return (await world.client.get('/customers?limit=100')).body.data.map(({ id }: { id: string }) => id)
}
