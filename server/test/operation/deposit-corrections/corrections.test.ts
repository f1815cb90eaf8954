import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import {
  type Client,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { balanceOf, readSystemBalances } from '../../worlds/records/payments.testing.ts'

/** In cents. */
const AMOUNT = 10_000

/** Longer than the retention of a deleted customer's data. */
const ERASURE_SECONDS = 1826 * 24 * 3600

type Deposit = Reply['body']

async function createSuspendedDeposit(client: Client, amount = AMOUNT): Promise<Deposit> {
  const { status, body } = await client.post('/sandbox/deposits', { amount, currency: 'USD' })
  expect([status, body.status]).toEqual([201, 'SUSPENSE'])
  return body
}

const readDeposit = async (client: Client, { id }: Deposit) => (await client.get(`/deposits/${id}`)).body

async function correctDeposit(
  client: Client,
  { id }: Deposit,
  action: string,
  body: object,
): Promise<Deposit> {
  const reply = await client.post(`/deposits/${id}/${action}`, body)
  expect(reply.status, toJson(reply.body)).toBe(200)
  return reply.body
}

const splitDeposit = (client: Client, deposit: Deposit, amounts: readonly number[]) =>
  correctDeposit(client, deposit, 'split', { amounts, reason: 'Two invoices' })

const listEvents = async (client: Client, { id }: Deposit) =>
  (await client.events(`&objectId=${id}`)).map(({ type }) => type)

describe('a deposit in suspense', () => {
  test('is split into parts, and each part is assigned, returned or written off separately', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    const deposit = await createSuspendedDeposit(client)
    const { deposit: original, parts } = await splitDeposit(client, deposit, [7_000, 2_900, 100])
    expect(original).toMatchObject({ id: deposit.id, status: 'SPLIT', note: 'Two invoices' })
    expect(parts).toMatchObject(
      [7_000, 2_900, 100].map((amount) => ({
        amount: { amount },
        status: 'SUSPENSE',
        partOf: deposit.id,
        reason: 'NO_MATCH',
      })),
    )
    expect(await readSystemBalances(client)).toEqual({ rail: AMOUNT, suspense: AMOUNT })

    const [first, second, third] = parts
    await correctDeposit(client, first, 'assign', { accountId: customer.usd })
    expect(await balanceOf(client, customer.id)).toBe(7_000n)
    await correctDeposit(client, second, 'return', {})
    await client.advance(0)
    expect(await readDeposit(client, second)).toMatchObject({ status: 'RETURNED' })
    const writtenOffPart = await correctDeposit(client, third, 'write-off', { reason: 'Below our minimum' })
    expect(writtenOffPart).toMatchObject({ status: 'WRITTEN_OFF', note: 'Below our minimum' })
    expect(await readSystemBalances(client)).toEqual({ rail: 7_100, costs: -100 })
    expect(await listEvents(client, deposit)).toEqual(['DEPOSIT.SUSPENDED', 'DEPOSIT.CORRECTED'])
    expect(await listEvents(client, first)).toEqual(['DEPOSIT.SUSPENDED'])
    expect(await listEvents(client, third)).toEqual(['DEPOSIT.SUSPENDED', 'DEPOSIT.CORRECTED'])
  })

  test('is split only once by fifty parallel requests', async () => {
    const client = await newPlatform()
    const deposit = await createSuspendedDeposit(client)
    const calls = Array.from({ length: 50 }, (_, n) =>
      client.post(`/deposits/${deposit.id}/split`, { amounts: [AMOUNT - 1 - n, 1 + n], reason: 'Race' }),
    )
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(49)
    const { data } = (await client.get('/deposits?status=SUSPENSE')).body
    expect(data).toHaveLength(2)
    expect(data.reduce((sum: number, { amount }: Deposit) => sum + amount.amount, 0)).toBe(AMOUNT)
  })

  test('rejects parts that do not sum to its amount, and any correction once it has left suspense', async () => {
    const client = await newPlatform()
    const deposit = await createSuspendedDeposit(client)
    const path = `/deposits/${deposit.id}`
    for (const amounts of [[AMOUNT, 1], [AMOUNT], [AMOUNT, 0]])
      expectError(await client.post(`${path}/split`, { amounts, reason: 'Wrong' }), {
        code: 'INVALID_INPUT',
        field: amounts[1] === 0 ? 'amounts.1' : 'amounts',
      })
    expectError(await client.post(`${path}/write-off`, {}), { code: 'INVALID_INPUT', field: 'reason' })
    await correctDeposit(client, deposit, 'write-off', { reason: 'Nobody claims it' })
    for (const [action, body] of [
      ['split', { amounts: [AMOUNT - 1, 1], reason: 'Late' }],
      ['write-off', { reason: 'Twice' }],
      ['return', {}],
    ] as const)
      expectError(await client.post(`${path}/${action}`, body), { code: 'INVALID_STATE_TRANSITION' })
    const stranger = await newPlatform()
    const refusal = await stranger.post(`${path}/write-off`, { reason: 'Not mine' })
    expectError(refusal, { code: 'DEPOSIT_NOT_FOUND', field: 'depositId' })
    expect(await readSystemBalances(client)).toEqual({ rail: AMOUNT, costs: -AMOUNT })
  })
})

async function spendBalance(client: Client, customer: { id: string; usd: string }, amount: number) {
  const destination = { accountId: await newBankAccount(client, customer.id) }
  const reply = await client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination,
    amount,
  })
  expect(reply.status, toJson(reply.body)).toBe(201)
  await client.advance(0)
}

test('erasing a customer erases the texts of a deposit of which it has a part, except on parts of others', {
  tags: 'long',
}, async () => {
  const client = await newPlatform()
  const [customer, otherCustomer] = [await newCustomer(client), await newCustomer(client)]
  const texts = { remittanceInformation: 'For Ada', sender: { name: 'Charles Babbage' } }
  const { body: deposit } = await client.post('/sandbox/deposits', {
    amount: AMOUNT,
    currency: 'USD',
    ...texts,
  })
  const { parts } = await splitDeposit(client, deposit, [5_000, 3_000, 2_000])
  await correctDeposit(client, parts[0], 'assign', { accountId: customer.usd })
  await correctDeposit(client, parts[1], 'assign', { accountId: otherCustomer.usd })
  await spendBalance(client, customer, 5_000)
  expect((await client.send('DELETE', `/customers/${customer.id}`)).status).toBe(200)
  await client.post(`/customers/${customer.id}/erasure`)
  await client.advance(ERASURE_SECONDS)
  expect((await client.get(`/customers/${customer.id}/erasure`)).body.status).toBe('DONE')
  for (const { id } of [deposit, parts[0], parts[2]]) {
    const remaining = (await client.get(`/deposits/${id}`)).body
    for (const field of ['sender', 'remittanceInformation', 'note'])
      expect(remaining).not.toHaveProperty(field)
  }
  expect((await client.get(`/deposits/${parts[1].id}`)).body).toMatchObject(texts)
})

/** The state of a part when the bank reverses the whole deposit. */
const FATES = ['SUSPENSE', 'CREDITED', 'WRITTEN_OFF', 'SPLIT'] as const

test('reversing a deposit reverses all its parts, whatever their state', {
  tags: 'long',
}, async () => {
  const parts = fc.array(
    fc.record({ amount: fc.integer({ min: 2, max: 5_000 }), fate: fc.constantFrom(...FATES) }),
    {
      minLength: 2,
      maxLength: 5,
    },
  )
  await fc.assert(
    fc.asyncProperty(parts, fc.boolean(), async (plannedParts, isSpent) => {
      const client = await newPlatform()
      const customer = await newCustomer(client)
      const total = plannedParts.reduce((sum, { amount }) => sum + amount, 0)
      const deposit = await createSuspendedDeposit(client, total)
      const { parts: createdParts } = await splitDeposit(
        client,
        deposit,
        plannedParts.map(({ amount }) => amount),
      )
      let creditedAmount = 0
      for (const [n, { amount, fate }] of plannedParts.entries()) {
        const part = createdParts[n]
        if (fate === 'CREDITED') {
          creditedAmount += amount
          await correctDeposit(client, part, 'assign', { accountId: customer.usd })
        }
        if (fate === 'WRITTEN_OFF') await correctDeposit(client, part, 'write-off', { reason: 'Small' })
        if (fate === 'SPLIT') await splitDeposit(client, part, [1, amount - 1])
      }
      const spent = isSpent && creditedAmount > 1 ? creditedAmount - 1 : 0
      if (spent > 0) await spendBalance(client, customer, spent)
      const reply = await client.post(`/sandbox/deposits/${deposit.id}/reverse`)
      expect(reply.status, toJson(reply.body)).toBe(200)
      const { data } = (await client.get('/deposits?limit=100')).body
      expect(new Set(data.map(({ status }: Deposit) => status))).toEqual(new Set(['REVERSED']))
      expect(await balanceOf(client, customer.id)).toBe(0n)
      // The customer had spent a part of the money, which is now owed to the platform.
      expect(await readSystemBalances(client)).toEqual(spent > 0 ? { rail: -spent, receivables: spent } : {})
    }),
    { numRuns: 12 },
  )
})
