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
import { beVerified, findPlaces, live, PERSONAL } from '../../worlds/records/erasures.testing.ts'
import { newEuroAccount, newMandate } from '../../worlds/records/external-accounts.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

const DAYS = 1825
const DAY_SECONDS = 86_400

let host: TestServer
let baseUrl: string
beforeAll(async () => {
  host = await openServer({}, { checkResponses: true })
  baseUrl = host.baseUrl
})
afterAll(() => host.close())

const newPlatform = () => host.newPlatform()

const deleteCustomer = (client: Client, id: string) => client.send('DELETE', `/customers/${id}`)
const requestErasure = (client: Client, id: string) => client.post(`/customers/${id}/erasure`)
const readErasure = async (client: Client, id: string) => (await client.get(`/customers/${id}/erasure`)).body

/** Values stored only sealed, and shown masked. */
const SEALED: readonly string[] = [PERSONAL.documentNumber, PERSONAL.ownerIdentifier]

/** The places that still have a text after the erasure. */
const KEPT_TEXTS: Readonly<Record<string, readonly string[]>> = {
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
    const neighbour = await newCustomer(client, {
      umaAddress: '$neighbour@uma.example',
      fullName: 'Nora Neighbour',
    })
    await fund(client, neighbour.usd, 50_000)
    const { ids, usd } = await live(client, neighbour)
    const businessId = await beVerified(client)
    for (const id of [...ids, businessId]) expect((await deleteCustomer(client, id)).status).toBe(200)
    await client.advance(0)
    await host.app.requestLog.flush()
    const texts = Object.values(PERSONAL)
    const before = await findPlaces(host.app.db, texts)
    // Every text is stored, and the search finds all but the sealed ones.
    expect([...before].filter(([, places]) => places.length === 0).map(([text]) => text)).toEqual(SEALED)

    const readVisibleData = async () => ({
      transactions: (await client.get(`/transactions?customerId=${ids[0]}&limit=100`)).body.data.map(
        printAmounts,
      ),
      entries: (await client.get(`/ledger/transfers?accountId=${usd}&limit=100`)).body,
      neighbour: (await client.get(`/customers/${neighbour.id}`)).body,
      accounts: (await client.get(`/customers/internal-accounts?customerId=${neighbour.id}`)).body,
      events: (await client.events(`&objectId=${neighbour.id}`)).map(toJson),
    })
    const visibleBefore = await readVisibleData()

    for (const id of [...ids, businessId]) {
      const request = await requestErasure(client, id)
      expect(request.body).toMatchObject({ customerId: id, status: 'SCHEDULED' })
      expect((await requestErasure(client, id)).body).toEqual(request.body)
    }
    await client.advance(DAYS * DAY_SECONDS)
    await host.app.requestLog.flush()
    for (const id of [...ids, businessId])
      expect(await readErasure(client, id)).toMatchObject({ status: 'DONE', erasedAt: expect.any(String) })

    const after = await findPlaces(host.app.db, texts)
    const remaining = Object.fromEntries([...after].filter(([, places]) => places.length > 0))
    expect(remaining).toEqual(KEPT_TEXTS)
    expect(await readVisibleData()).toEqual(visibleBefore)
    await expectReadable(client, ids[0]!)
    await expectValidEvents(client)

    await extendChains(host.app.db, host.app.clock)
    const { findings } = await verifyLedger(host.app.db, host.app.enclave.quorumPublicKey)
    expect(findings).toEqual([])
  })
})

/** Reads everything about the person. The server checks each response against the contract. */
async function expectReadable(client: Client, id: string): Promise<void> {
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
    for (const { id: recordId } of body.data)
      expect((await client.get(`${path}/${recordId}`)).status, recordId).toBe(200)
    for (const { id: recordId } of path === '/verifications' ? body.data : [])
      expect((await client.get(`${path}/${recordId}/decisions`)).status).toBe(200)
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

/** Expects that the data of each erased event still matches the webhook of its type. */
async function expectValidEvents(client: Client): Promise<void> {
  const events = (await client.get('/events?limit=100')).body.data
  const erasedEvents = events.filter(({ data }: { data?: object }) => data && 'isErased' in data)
  expect(erasedEvents.length).toBeGreaterThan(20)
  for (const { type, data } of erasedEvents) {
    const webhook = WEBHOOKS.find(({ properties }) => properties.type?.enum?.includes(type))
    expect(webhook?.properties.data, type).toBeDefined()
    const faults = [...Value.Errors(webhook!.properties.data!, data)]
    expect(
      faults.map((fault) => toJson(fault)),
      `${type} ${toJson(data)}`,
    ).toEqual([])
  }
}

function printAmounts({
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

async function createDeletedCustomer(client: Client, fields: Record<string, unknown> = {}) {
  const body = { customerType: 'INDIVIDUAL', fullName: 'Ursula Untoldmark', ...fields }
  const { body: customer } = await client.post('/customers', body)
  expect((await deleteCustomer(client, customer.id)).status).toBe(200)
  return { id: customer.id as string, body }
}

describe('an erasure', () => {
  test('is refused with advice for a customer who is not deleted, and does not exist before its request', async () => {
    const client = await newPlatform()
    const { id } = await newCustomer(client)
    const refusal = await requestErasure(client, id)
    expectError(refusal, { code: 'CUSTOMER_NOT_DELETED', field: 'customerId' })
    expect(refusal.body.message).toContain('DELETE /customers/{customerId}')
    expectError(await client.get(`/customers/${id}/erasure`), {
      code: 'ERASURE_NOT_FOUND',
      field: 'customerId',
    })
    expect((await client.get(`/customers/${id}`)).status).toBe(200)
  })

  test('belongs to its platform, and needs the permission to delete a customer', async () => {
    const client = await newPlatform()
    const { id } = await createDeletedCustomer(client)
    const otherClient = await newPlatform()
    expectError(await requestErasure(otherClient, id), { code: 'USER_NOT_FOUND', field: 'customerId' })
    expectError(await otherClient.get(`/customers/${id}/erasure`), {
      code: 'USER_NOT_FOUND',
      field: 'customerId',
    })
    const { body: viewer } = await client.post('/tokens', { name: 'Viewer', permissions: ['VIEW'] })
    const viewerClient = new Client(
      { ...client.credentials, tokenId: viewer.clientId, clientSecret: viewer.clientSecret },
      baseUrl,
    )
    expectError(await requestErasure(viewerClient, id), { code: 'FORBIDDEN' })
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
    const { id } = await createDeletedCustomer(client)
    await requestErasure(client, id)
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
    expect((await requestErasure(client, id)).body.status).toBe('DONE')
  })

  test('keeps the deleted customer in the list, and frees its unique names', async () => {
    const client = await newPlatform()
    const uniqueFields = {
      email: 'ursula@untoldmark.example',
      platformCustomerId: 'crm-untoldmark',
      umaAddress: '$untoldmark@uma.example',
    }
    const { id, body } = await createDeletedCustomer(client, uniqueFields)
    await requestErasure(client, id)
    await client.advance(DAYS * DAY_SECONDS)
    expectError(await client.get(`/customers/${id}`), { code: 'CUSTOMER_DELETED', field: 'customerId' })
    const searchReply = (await client.get('/customers?isIncludingDeleted=true&search=untoldmark')).body
    expect(searchReply.data).toEqual([])
    const customers = (await client.get('/customers?isIncludingDeleted=true')).body.data
    expect(customers.find((customer: { id: string }) => customer.id === id)).toMatchObject({
      isDeleted: true,
      kycStatus: 'APPROVED',
    })
    const recreatedCustomer = await client.post('/customers', body)
    expect([recreatedCustomer.status, recreatedCustomer.body.email]).toEqual([201, uniqueFields.email])
  })

  test('cancels the mandates of the customer, and frees their references', async () => {
    const client = await newPlatform()
    const { id } = await newCustomer(client)
    const mandate = await newMandate(client, await newEuroAccount(client, id), { reference: 'QUIET-7' })
    expect((await deleteCustomer(client, id)).status).toBe(200)
    await requestErasure(client, id)
    await client.advance(DAYS * DAY_SECONDS)
    expect(await readErasure(client, id)).toMatchObject({ status: 'DONE' })
    const { body } = await client.get(`/mandates/${mandate.id}`)
    expect(body).toMatchObject({ status: 'CANCELED', cancelReason: 'erased' })
    expect(Date.parse(body.canceledAt)).toBeGreaterThanOrEqual(Date.parse(body.createdAt))
    expect((await client.get('/mandates?status=CANCELED')).body.data).toEqual([body])
    const otherAccount = await newEuroAccount(client, (await newCustomer(client)).id)
    const signedOn = (await client.get('/sandbox/clock')).body.now.slice(0, 10)
    expect(await newMandate(client, otherAccount, { reference: 'QUIET-7', signedOn })).toMatchObject({
      status: 'ACTIVE',
    })
  })

  test('continues after any failure, and after a run that exceeded its time limit', async () => {
    const client = await newPlatform()
    const { id } = await createDeletedCustomer(client, { email: 'ursula2@untoldmark.example' })
    await requestErasure(client, id)
    const { db } = host.app
    let queryCount = 0
    const failAtTimes = async (sql: string, ...rest: unknown[]) => {
      const isOfErasure = /FOR UPDATE\)|FROM page|UPDATE events|FROM message_counts/.test(sql)
      if (!isOfErasure) return db.query(sql, ...(rest as []))
      queryCount += 1
      if (queryCount <= 8 && queryCount % 2 === 0) throw new Error('the connection was lost before')
      const result = await db.query(sql, ...(rest as []))
      if (queryCount <= 8) throw new Error('the connection was lost afterwards')
      // Simulates a slow database: a run ends within its time limit, and another continues.
      if (queryCount <= 14) await new Promise((resolve) => setTimeout(resolve, 600))
      return result
    }
    Object.assign(host.app, { db: { ...db, kind: db.kind, query: failAtTimes } })
    try {
      await client.advance(DAYS * DAY_SECONDS)
      for (let tries = 0; tries < 40 && (await readErasure(client, id)).status !== 'DONE'; tries++)
        await client.advance(3_600)
    } finally {
      Object.assign(host.app, { db })
    }
    expect(await readErasure(client, id)).toMatchObject({ status: 'DONE' })
    expect(queryCount).toBeGreaterThan(60)
    const remaining = await findPlaces(db, ['ursula2@untoldmark.example'])
    expect([...remaining.values()]).toEqual([[]])
  })
})

test('the audit trail permits only the removal of personal data, and only for a person whose erasure has begun', async () => {
  const client = await newPlatform()
  const { id } = await createDeletedCustomer(client)
  const { id: otherId } = await createDeletedCustomer(client)
  await requestErasure(client, id)
  const { db } = host.app
  const matchCustomer = (customer: string) => `customer_id = '${customer.slice('Customer:'.length)}'`
  const expectRefused = (sql: string) => expect(db.query(sql)).rejects.toThrow('neither changed nor removed')
  const eraseStatement = `UPDATE audit_events SET before = '{"isErased": true}' WHERE`
  // The erasure has not begun.
  await expectRefused(`${eraseStatement} ${matchCustomer(id)}`)
  await db.query(`UPDATE erasures SET state = 'ERASING' WHERE id = '${id.slice('Customer:'.length)}'`)
  await db.query(`${eraseStatement} ${matchCustomer(id)}`)
  await expectRefused(`${eraseStatement} ${matchCustomer(otherId)}`)
  await expectRefused(`UPDATE audit_events SET before = '{"fullName": "Another"}' WHERE ${matchCustomer(id)}`)
  await expectRefused(`UPDATE audit_events SET operation = 'nothing' WHERE ${matchCustomer(id)}`)
  await expectRefused(
    `UPDATE audit_events SET created_at = created_at + interval '1 second' WHERE ${matchCustomer(id)}`,
  )
  await expectRefused(`DELETE FROM audit_events WHERE ${matchCustomer(id)}`)
})
