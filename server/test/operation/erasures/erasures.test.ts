import * as webhookBodies from '@countersign/contract/events/webhook-bodies'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { extendChains } from '../../../src/operation/proofs/chain.ts'
import { verifyLedger } from '../../../src/operation/proofs/verify.ts'
import { Client, fund, newCustomer } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'
import { beVerified, live, PERSONAL, placesOf } from '../../worlds/records/erasures.testing.ts'
import { newEuroAccount, newMandate } from '../../worlds/records/mandates.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

const DAYS = 1825
const DAY_SECONDS = 86_400

let host: TestServer
let baseUrl: string
beforeAll(async () => {
  host = await openServer({}, { checkAnswers: true })
  baseUrl = host.baseUrl
})
afterAll(() => host.close())

const newPlatform = () => host.newPlatform()

const remove = (client: Client, id: string) => client.send('DELETE', `/customers/${id}`)
const erase = (client: Client, id: string) => client.post(`/customers/${id}/erasure`)
const erasureOf = async (client: Client, id: string) => (await client.get(`/customers/${id}/erasure`)).body

/** Values that are sealed from the beginning, and shown masked. */
const SEALED: readonly string[] = [PERSONAL.documentNumber, PERSONAL.ownerIdentifier]

/** The places where a text still is after the erasure. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  // The payload that the wallet signed for its payment.
  [PERSONAL.holder]: ['signing_requests.payload'],
  [PERSONAL.accountNumber]: ['signing_requests.payload'],
}

describe('after the erasure', () => {
  test('only the listed data of a person is left in the database, and the books are unchanged', async () => {
    const client = await newPlatform()
    const receiver = await Receiver.of(client)
    receiver.answer =
      ({ text }) =>
      (response) =>
        response.writeHead(200).end(/quixotemark|zebulon|ownermark/i.test(text) ? PERSONAL.answer : '')
    const other = await newCustomer(client, {
      umaAddress: '$neighbour@uma.example',
      fullName: 'Nora Neighbour',
    })
    await fund(client, other.usd, 50_000)
    const { ids, usd } = await live(client, other)
    const businessId = await beVerified(client)
    for (const id of [...ids, businessId]) expect((await remove(client, id)).status).toBe(200)
    await client.advance(0)
    await host.app.requestLog.flush()
    const texts = Object.values(PERSONAL)
    const before = await placesOf(host.app.db, texts)
    // All of them are stored, in the clear or sealed: the search would find them.
    expect([...before].filter(([, places]) => places.length === 0).map(([text]) => text)).toEqual(SEALED)

    const shown = async () => ({
      transactions: (await client.get(`/transactions?customerId=${ids[0]}&limit=100`)).body.data.map(booked),
      entries: (await client.get(`/ledger/transfers?accountId=${usd}&limit=100`)).body,
      neighbour: (await client.get(`/customers/${other.id}`)).body,
      accounts: (await client.get(`/customers/internal-accounts?customerId=${other.id}`)).body,
      events: (await client.events(`&objectId=${other.id}`)).map(toJson),
    })
    const shownBefore = await shown()

    for (const id of [...ids, businessId]) {
      const asked = await erase(client, id)
      expect(asked.body).toMatchObject({ customerId: id, status: 'SCHEDULED' })
      expect((await erase(client, id)).body).toEqual(asked.body)
    }
    await client.advance(DAYS * DAY_SECONDS)
    await host.app.requestLog.flush()
    for (const id of [...ids, businessId])
      expect(await erasureOf(client, id)).toMatchObject({ status: 'DONE', erasedAt: expect.any(String) })

    const after = await placesOf(host.app.db, texts)
    const left = Object.fromEntries([...after].filter(([, places]) => places.length > 0))
    expect(left).toEqual(KEPT)
    expect(await shown()).toEqual(shownBefore)
    await readAll(client, ids[0]!)
    await eventsAreValid(client)

    await extendChains(host.app.db, host.app.clock)
    const { findings } = await verifyLedger(host.app.db, host.app.enclave.quorumPublicKey)
    expect(findings).toEqual([])
  })
})

/** Every response about the person still matches the contract: the server checks each. */
async function readAll(client: Client, id: string): Promise<void> {
  const lists = [
    `/transactions?customerId=${id}&limit=100`,
    `/quotes?customerId=${id}&limit=100`,
    '/cards?limit=100',
    '/agents?limit=100',
    '/verifications?limit=100',
    '/deposits?limit=100',
    '/screenings?limit=100',
  ]
  for (const list of lists) {
    const { status, body } = await client.get(list)
    expect(status, list).toBe(200)
    const [path] = list.split('?')
    for (const { id: one } of body.data) expect((await client.get(`${path}/${one}`)).status, one).toBe(200)
    for (const { id: one } of path === '/verifications' ? body.data : [])
      expect((await client.get(`${path}/${one}/decisions`)).status).toBe(200)
  }
  const { data: agents } = (await client.get('/agents')).body
  for (const { id: agent } of agents)
    expect((await client.get(`/agents/${agent}/decisions`)).status, agent).toBe(200)
  const accounts = (await client.get(`/ledger/accounts?owner=${id}`)).body.data
  expect(accounts.length).toBeGreaterThan(0)
  for (const { id: account } of accounts) {
    expect((await client.get(`/auth/delegated-keys?accountId=${account}`)).status, account).toBe(200)
    const times = 'from=2020-01-01T00:00:00Z&to=2999-01-01T00:00:00Z'
    expect((await client.get(`/statements?accountId=${account}&${times}`)).status).toBe(200)
    for (const { id: transfer } of (await client.get(`/ledger/transfers?accountId=${account}`)).body.data)
      expect((await client.get(`/ledger/transfers/${transfer}/explain`)).status).toBe(200)
  }
  for (const path of ['/audit-events?limit=100', '/requests?limit=100', '/sandbox/inbox', '/overview'])
    expect((await client.get(path)).status, path).toBe(200)
}

const WEBHOOKS = Object.values<unknown>(webhookBodies).filter(
  (schema): schema is TSchema & { properties: { type: { enum?: string[] }; data?: TSchema } } =>
    typeof schema === 'object' && schema !== null && 'properties' in schema,
)

/** The data of each event fits a webhook of its type, also without the person. */
async function eventsAreValid(client: Client): Promise<void> {
  const events = (await client.get('/events?limit=100')).body.data
  const erased = events.filter(({ data }: { data?: object }) => data && 'isErased' in data)
  expect(erased.length).toBeGreaterThan(20)
  for (const { type, data } of erased) {
    const of = WEBHOOKS.find(({ properties }) => properties.type?.enum?.includes(type))
    expect(of?.properties.data, type).toBeDefined()
    const faults = [...Value.Errors(of!.properties.data!, data)]
    expect(
      faults.map((fault) => toJson(fault)),
      `${type} ${toJson(data)}`,
    ).toEqual([])
  }
}

/** The amounts of a transaction in the books. */
function booked({
  id,
  status,
  direction,
  sentAmount,
  receivedAmount,
  fees,
  createdAt,
  settledAt,
}: Record<string, unknown>) {
  return toJson({ id, status, direction, sentAmount, receivedAmount, fees, createdAt, settledAt })
}

/** A deleted customer with its own data. */
async function deleted(client: Client, more: Record<string, unknown> = {}) {
  const body = { customerType: 'INDIVIDUAL', fullName: 'Ursula Untoldmark', ...more }
  const { body: customer } = await client.post('/customers', body)
  expect((await remove(client, customer.id)).status).toBe(200)
  return { id: customer.id as string, body }
}

describe('an erasure', () => {
  test('is refused with advice for a customer who is not deleted, and does not exist before its request', async () => {
    const client = await newPlatform()
    const { id } = await newCustomer(client)
    const refused = await erase(client, id)
    expectError(refused, { code: 'CUSTOMER_NOT_DELETED', field: 'customerId' })
    expect(refused.body.message).toContain('DELETE /customers/{customerId}')
    expectError(await client.get(`/customers/${id}/erasure`), {
      code: 'ERASURE_NOT_FOUND',
      field: 'customerId',
    })
    expect((await client.get(`/customers/${id}`)).status).toBe(200)
  })

  test('belongs to its platform, and needs the permission to delete a customer', async () => {
    const client = await newPlatform()
    const { id } = await deleted(client)
    const other = await newPlatform()
    expectError(await erase(other, id), { code: 'USER_NOT_FOUND', field: 'customerId' })
    expectError(await other.get(`/customers/${id}/erasure`), { code: 'USER_NOT_FOUND', field: 'customerId' })
    const { body: viewer } = await client.post('/tokens', { name: 'Viewer', permissions: ['VIEW'] })
    const reading = new Client(
      { ...client.credentials, tokenId: viewer.clientId, clientSecret: viewer.clientSecret },
      baseUrl,
    )
    expectError(await erase(reading, id), { code: 'FORBIDDEN' })
    const living = await newCustomer(client)
    const { body: bearer } = await client.post('/customer-tokens', {
      customerId: living.id,
      permissions: ['VIEW'],
    })
    const asCustomer = await client.send('POST', `/customers/${id}/erasure`, undefined, {
      Authorization: `Bearer ${bearer.accessToken}`,
    })
    expect([403, 404]).toContain(asCustomer.status)
    const agent = await newAgent(client, living.id)
    expectError(await agent.post(`/customers/${id}/erasure`), { code: 'UNAUTHORIZED' })
    expectError(await client.get(`/customers/${id}/erasure`), {
      code: 'ERASURE_NOT_FOUND',
      field: 'customerId',
    })
  })

  test('ends with an event without personal data, and the audit trail names the requester', async () => {
    const client = await newPlatform()
    const { id } = await deleted(client)
    await erase(client, id)
    await client.advance(DAYS * DAY_SECONDS)
    const events = await client.events(`&objectId=${id}`)
    const last = events.at(-1)
    expect(last).toMatchObject({ type: 'CUSTOMER.ERASED', data: { customerId: id, status: 'DONE' } })
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1))
    expect(toJson(events)).not.toContain('Untoldmark')
    const { data } = (await client.get(`/audit-events?customerId=${id}`)).body
    expect(data.map(({ operation }: { operation: string }) => operation)).toEqual([
      'customer_erase',
      'customer_delete',
      'customer_create',
    ])
    expect(data[0].actor.type).toBe('TOKEN')
    expect((await erase(client, id)).body.status).toBe('DONE')
  })

  test('leaves a deleted customer that is shown as before, and whose unique names are free again', async () => {
    const client = await newPlatform()
    const own = {
      email: 'ursula@untoldmark.example',
      platformCustomerId: 'crm-untoldmark',
      umaAddress: '$untoldmark@uma.example',
    }
    const { id, body } = await deleted(client, own)
    await erase(client, id)
    await client.advance(DAYS * DAY_SECONDS)
    expectError(await client.get(`/customers/${id}`), { code: 'CUSTOMER_DELETED', field: 'customerId' })
    const listed = (await client.get('/customers?isIncludingDeleted=true&search=untoldmark')).body
    expect(listed.data).toEqual([])
    const all = (await client.get('/customers?isIncludingDeleted=true')).body.data
    expect(all.find((one: { id: string }) => one.id === id)).toMatchObject({
      isDeleted: true,
      kycStatus: 'APPROVED',
    })
    const again = await client.post('/customers', body)
    expect([again.status, again.body.email]).toEqual([201, own.email])
  })

  test('ends the mandates of the customer, whose reference is free again', async () => {
    const client = await newPlatform()
    const { id } = await newCustomer(client)
    const mandate = await newMandate(client, await newEuroAccount(client, id), { reference: 'QUIET-7' })
    expect((await remove(client, id)).status).toBe(200)
    await erase(client, id)
    await client.advance(DAYS * DAY_SECONDS)
    expect(await erasureOf(client, id)).toMatchObject({ status: 'DONE' })
    const { body } = await client.get(`/mandates/${mandate.id}`)
    expect(body).toMatchObject({ status: 'CANCELED', cancelReason: 'erased' })
    expect(Date.parse(body.canceledAt)).toBeGreaterThanOrEqual(Date.parse(body.createdAt))
    expect((await client.get('/mandates?status=CANCELED')).body.data).toEqual([body])
    const other = await newEuroAccount(client, (await newCustomer(client)).id)
    const signedOn = (await client.get('/sandbox/clock')).body.now.slice(0, 10)
    expect(await newMandate(client, other, { reference: 'QUIET-7', signedOn })).toMatchObject({
      status: 'ACTIVE',
    })
  })

  test('continues after any failure, and after a run that was too long', async () => {
    const client = await newPlatform()
    const { id } = await deleted(client, { email: 'ursula2@untoldmark.example' })
    await erase(client, id)
    const { db } = host.app
    let count = 0
    const failing = async (sql: string, ...rest: unknown[]) => {
      const isOfErasure = /FOR UPDATE\)|FROM page|UPDATE events|FROM message_counts/.test(sql)
      if (!isOfErasure) return db.query(sql, ...(rest as []))
      count += 1
      if (count <= 8 && count % 2 === 0) throw new Error('the connection was lost before')
      const answer = await db.query(sql, ...(rest as []))
      if (count <= 8) throw new Error('the connection was lost afterwards')
      // Simulates a slow database: a run ends within its time limit, and another continues.
      if (count <= 14) await new Promise((resolve) => setTimeout(resolve, 600))
      return answer
    }
    Object.assign(host.app, { db: { ...db, kind: db.kind, query: failing } })
    try {
      await client.advance(DAYS * DAY_SECONDS)
      for (let tries = 0; tries < 40 && (await erasureOf(client, id)).status !== 'DONE'; tries++)
        await client.advance(3_600)
    } finally {
      Object.assign(host.app, { db })
    }
    expect(await erasureOf(client, id)).toMatchObject({ status: 'DONE' })
    expect(count).toBeGreaterThan(60)
    const left = await placesOf(db, ['ursula2@untoldmark.example'])
    expect([...left.values()]).toEqual([[]])
  })
})

test('the audit trail drops exactly the personal data of the erased person', async () => {
  const client = await newPlatform()
  const { id } = await deleted(client)
  const { id: otherId } = await deleted(client)
  await erase(client, id)
  const { db } = host.app
  const of = (customer: string) => `customer_id = '${customer.slice('Customer:'.length)}'`
  const refused = (sql: string) => expect(db.query(sql)).rejects.toThrow('neither changed nor removed')
  const erased = `UPDATE audit_events SET before = '{"isErased": true}' WHERE`
  // It is not time yet.
  await refused(`${erased} ${of(id)}`)
  await db.query(`UPDATE erasures SET state = 'ERASING' WHERE id = '${id.slice('Customer:'.length)}'`)
  await db.query(`${erased} ${of(id)}`)
  await refused(`${erased} ${of(otherId)}`)
  await refused(`UPDATE audit_events SET before = '{"fullName": "Another"}' WHERE ${of(id)}`)
  await refused(`UPDATE audit_events SET operation = 'nothing' WHERE ${of(id)}`)
  await refused(`UPDATE audit_events SET created_at = created_at + interval '1 second' WHERE ${of(id)}`)
  await refused(`DELETE FROM audit_events WHERE ${of(id)}`)
})
