import { describe, expect, test } from 'vitest'
import { type Client, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newCard } from '../../worlds/records/cards.testing.ts'
import { newManualPlatform } from '../../worlds/records/onboarding.testing.ts'

type Body = Reply['body']

/** Reads a list with filters as the console sends them, and sorts its ids. */
const listIds = async (client: Client, path: string): Promise<string[]> => {
  const { status, body } = await client.get(path)
  expect(status, path).toBe(200)
  return body.data.map(({ id }: Body) => id).sort()
}

/** Expects these records in the list, and one line for each in its CSV file. */
async function expectListed(client: Client, path: string, expected: readonly string[]): Promise<void> {
  const [list, query = ''] = path.split('?')
  expect(await listIds(client, path), path).toEqual([...expected].sort())
  const { body } = await client.get(`${list}.csv?${query}`)
  for (const id of expected) expect(body).toContain(id)
  expect(body.trim().split(/\r?\n/), path).toHaveLength(expected.length + 1)
}

describe('the lists of the console', () => {
  test('filter deposits by status, by currency, and by inclusive amounts', async () => {
    const client = await newPlatform()
    const createDeposit = async (amount: number, currency: string): Promise<string> => {
      const before = await listIds(client, '/deposits')
      expect((await client.post('/sandbox/deposits', { amount, currency })).status).toBe(201)
      await client.advance(0)
      const [createdId = ''] = (await listIds(client, '/deposits')).filter((id) => !before.includes(id))
      return createdId
    }
    const [small, middle, large] = [
      await createDeposit(100, 'USD'),
      await createDeposit(200, 'USD'),
      await createDeposit(300, 'USD'),
    ]
    const euros = await createDeposit(200, 'EUR')
    const expectDeposits = async (query: string, ...expected: string[]) =>
      expect(await listIds(client, `/deposits?${query}`), query).toEqual(expected.sort())
    await expectDeposits('currency=USD', small, middle, large)
    await expectDeposits('currency=USD&amountMin=200', middle, large)
    await expectDeposits('currency=USD&amountMax=200', small, middle)
    await expectDeposits('currency=USD&amountMin=200&amountMax=200', middle)
    await expectDeposits('currency=USD&amountMin=301')
    await expectDeposits('currency=EUR&status=SUSPENSE', euros)
    await expectDeposits('status=CREDITED')
    expectError(await client.get('/deposits?amountMin=1'), { code: 'INVALID_INPUT', field: 'currency' })
    expect(await listIds(await newPlatform(), '/deposits?currency=USD')).toEqual([])
  })

  test('filter cards by currency, state and holder, in the CSV file too', async () => {
    const client = await newPlatform()
    const [ada, grace] = [await newCustomer(client), await newCustomer(client)]
    const dollars = await newCard(client, ada.id, [ada.usd])
    const euros = await newCard(client, grace.id, [grace.eur])
    const frozen = await newCard(client, grace.id, [grace.usd])
    expect((await client.post(`/cards/${frozen.id}/freeze`, { reason: 'Reported as lost' })).status).toBe(200)
    await expectListed(client, '/cards?currency=USD', [dollars.id, frozen.id])
    await expectListed(client, '/cards?currency=EUR', [euros.id])
    await expectListed(client, '/cards?currency=MXN', [])
    await expectListed(client, `/cards?currency=USD&cardholderId=${grace.id}`, [frozen.id])
    await expectListed(client, '/cards?currency=USD&state=ACTIVE', [dollars.id])
    expect(await listIds(await newPlatform(), '/cards?currency=USD')).toEqual([])
  })

  test('filter customers by verification status, type and currency, in the CSV file too', async () => {
    const client = await newManualPlatform()
    const createCustomer = async (body: object): Promise<string> => {
      const reply = await client.post('/customers', body)
      expect(reply.status, JSON.stringify(reply.body)).toBe(201)
      return reply.body.id
    }
    const person = await createCustomer({
      customerType: 'INDIVIDUAL',
      fullName: 'Ada Lovelace',
      currencies: ['USD', 'EUR'],
    })
    const business = await createCustomer({
      customerType: 'BUSINESS',
      businessInfo: { legalName: 'Acme', incorporatedOn: '1999-12-31', taxId: '12-3456789' },
      currencies: ['USD'],
    })
    await expectListed(client, '/customers?verificationStatus=PENDING', [person, business])
    await expectListed(client, '/customers?verificationStatus=APPROVED', [])
    await expectListed(client, '/customers?verificationStatus=PENDING&customerType=BUSINESS', [business])
    await expectListed(client, '/customers?currency=EUR', [person])
    await expectListed(client, '/customers?currency=USD', [person, business])
    expect(await listIds(await newPlatform(), '/customers?verificationStatus=PENDING')).toEqual([])
  })
})
