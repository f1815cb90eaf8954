import { describe, expect, test } from 'vitest'
import { newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { newEuroAccount } from '../../worlds/records/external-accounts.testing.ts'

const DAY_SECONDS = 24 * 3600

async function createMandateWorld() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const externalAccountId = await newEuroAccount(client, customer.id)
  const { now } = (await client.get('/sandbox/clock')).body
  const today: string = now.slice(0, 10)
  const add = (more: object = {}) => client.post('/mandates', { externalAccountId, signedOn: today, ...more })
  const read = async (id: string) => (await client.get(`/mandates/${id}`)).body
  const cancel = (id: string, more: object = {}) =>
    client.post(`/mandates/${id}/cancel`, { reason: 'Asked by letter', ...more })
  return { client, customer, externalAccountId, today, add, read, cancel }
}

describe('a mandate', () => {
  test('has the holder and the IBAN of its account, and expires 36 months after its signature', async () => {
    const { add, read, customer, externalAccountId, today, client } = await createMandateWorld()
    const { status, body } = await add({ reference: 'M-7' })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body).toMatchObject({
      status: 'ACTIVE',
      externalAccountId,
      customerId: customer.id,
      reference: 'M-7',
      mandateType: 'RECURRING',
      signedOn: today,
      debtor: { name: 'Ada Lovelace', iban: expect.stringMatching(/^DE/) },
      isFinal: false,
    })
    expect(Number(body.expiresOn.slice(0, 4)) - Number(today.slice(0, 4))).toBe(3)
    expect(await read(body.id)).toEqual(body)
    for (const filter of [`externalAccountId=${externalAccountId}`, `customerId=${customer.id}`])
      expect((await client.get(`/mandates?${filter}`)).body.data).toEqual([body])
    const otherCustomer = await newCustomer(client)
    expect((await client.get(`/mandates?customerId=${otherCustomer.id}`)).body.data).toEqual([])
  })

  test('gets a reference if it has none, and references are unique regardless of case', async () => {
    const { add, client, customer } = await createMandateWorld()
    const first = await add()
    expect(first.body.reference).toMatch(/^[0-9A-F]{32}$/)
    const otherAccount = { externalAccountId: await newEuroAccount(client, customer.id) }
    const duplicate = await add({ ...otherAccount, reference: first.body.reference.toLowerCase() })
    expect([duplicate.status, duplicate.body.details?.field]).toEqual([400, 'reference'])
    for (const reference of ['a//b', '/a', 'a/', 'ä', '', 'x'.repeat(36), 'a b'])
      expect((await add({ ...otherAccount, reference })).status, reference).toBe(400)
    expect((await add({ ...otherAccount, reference: 'a/b' })).status).toBe(201)
  })

  test('is the only active mandate of its account, however many are added in parallel', async () => {
    const { add, cancel, client, externalAccountId } = await createMandateWorld()
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => add({ reference: `R-${index}` })),
    )
    const added = replies.filter(({ status }) => status === 201)
    expect(added).toHaveLength(1)
    const refused = replies.filter(({ status }) => status !== 201)
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.details?.field}`))).toEqual(
      new Set(['400 externalAccountId']),
    )
    await cancel(added[0]!.body.id)
    expect((await add({ reference: 'NEXT' })).status).toBe(201)
    const { data } = (await client.get(`/mandates?externalAccountId=${externalAccountId}`)).body
    expect(data.map(({ status }: { status: string }) => status)).toEqual(['ACTIVE', 'CANCELED'])
  })

  test('is canceled once with a reason, immediately or after one more collection', async () => {
    const { add, cancel, read } = await createMandateWorld()
    const { id } = (await add()).body
    const last = await cancel(id, { afterNextCollection: true })
    expect(last.body).toMatchObject({ status: 'ACTIVE', isFinal: true, cancelReason: 'Asked by letter' })
    const replies = await Promise.all(Array.from({ length: 5 }, () => cancel(id)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    expect(await read(id)).toMatchObject({ status: 'CANCELED', cancelReason: 'Asked by letter' })
  })

  test('expires 36 months after its last use, and can then be replaced', async () => {
    const { add, cancel, read, client, today } = await createMandateWorld()
    const { id } = (await add()).body
    for (let months = 0; months < 37; months++) await client.advance(30.5 * DAY_SECONDS)
    expect(await read(id)).toMatchObject({ status: 'EXPIRED' })
    expect((await cancel(id)).status).toBe(409)
    const stale = await add()
    expect([stale.status, stale.body.details?.field]).toEqual([400, 'signedOn'])
    const currentDay = (await client.get('/sandbox/clock')).body.now.slice(0, 10)
    const renewed = await add({ lastCollectedOn: currentDay })
    expect(renewed.body).toMatchObject({ status: 'ACTIVE', lastCollectedOn: currentDay, signedOn: today })
    expect(await read(id)).toMatchObject({ status: 'CANCELED', cancelReason: 'The mandate has expired' })
  })

  test('is listed by its current status, with the names of its customer and account, and is exported as a file', async () => {
    const { add, cancel, client, customer, today } = await createMandateWorld()
    const { id: first } = (await add({ reference: 'FIRST' })).body
    await cancel(first)
    const signedOn = `${Number(today.slice(0, 4)) - 2}-12-31`
    const { id: second, expiresOn } = (await add({ reference: 'SECOND', signedOn })).body
    const listIds = async (status: string) =>
      (await client.get(`/mandates?status=${status}`)).body.data.map(({ id }: { id: string }) => id)
    const listByStatus = () => Promise.all(['ACTIVE', 'CANCELED', 'EXPIRED'].map(listIds))
    const moveTo = async (time: string) =>
      expect((await client.post('/sandbox/clock/advance', { to: time })).status).toBe(200)
    await moveTo(new Date(Date.parse(expiresOn) - 3_600_000).toISOString())
    expect(await listByStatus()).toEqual([[second], [first], []])
    await moveTo(`${expiresOn}T00:00:00Z`)
    expect(await listByStatus()).toEqual([[], [first], [second]])
    expect((await client.get('/mandates?status=ENDED')).status).toBe(400)
    const { names } = (await client.get('/mandates?status=EXPIRED&includeNames=true')).body
    expect(names).toEqual([
      { id: customer.id, name: expect.any(String) },
      { id: expect.stringMatching(/^ExternalAccount:/), name: expect.stringContaining('Ada Lovelace') },
    ])
    const file = await client.get('/mandates.csv?status=CANCELED')
    expect(file.body.trim().split('\n')).toHaveLength(2)
    expect(file.body).toContain('FIRST')
  })

  test('is refused for a signature in the future, and for an account that SEPA does not debit', async () => {
    const { add, client, customer } = await createMandateWorld()
    expect((await add({ signedOn: '2999-01-01' })).body.details?.field).toBe('signedOn')
    expect((await add({ signedOn: '2026-02-30' })).status).toBe(400)
    expect((await add({ lastCollectedOn: '2999-01-01' })).body.details?.field).toBe('lastCollectedOn')
    const dollarAccountReply = await add({ externalAccountId: await newBankAccount(client, customer.id) })
    expect([dollarAccountReply.status, dollarAccountReply.body.details?.field]).toEqual([
      400,
      'externalAccountId',
    ])
    const unknownAccount = await add({
      externalAccountId: 'ExternalAccount:0198c0de-0000-7000-8000-00000000000a',
    })
    expect([unknownAccount.status, unknownAccount.body.code]).toEqual([404, 'ACCOUNT_NOT_FOUND'])
  })

  test('is canceled with its account, and is hidden from other platforms', async () => {
    const { add, read, client, externalAccountId } = await createMandateWorld()
    const { id } = (await add()).body
    const stranger = await newPlatform()
    for (const reply of [
      await stranger.get(`/mandates/${id}`),
      await stranger.post(`/mandates/${id}/cancel`, { reason: 'Mine' }),
    ])
      expect([reply.status, reply.body.code]).toEqual([404, 'MANDATE_NOT_FOUND'])
    expect((await stranger.get('/mandates')).body.data).toEqual([])
    expect((await client.send('DELETE', `/customers/external-accounts/${externalAccountId}`)).status).toBe(
      204,
    )
    expect(await read(id)).toMatchObject({ status: 'CANCELED', cancelReason: 'The account was removed' })
  })
})
