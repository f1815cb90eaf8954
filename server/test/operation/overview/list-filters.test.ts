import { describe, expect, test } from 'vitest'
import { type Client, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newCard } from '../../worlds/records/cards.testing.ts'
import { newManualPlatform } from '../../worlds/records/onboarding.testing.ts'

type Body = Reply['body']

/** Some of the filters of a list, as a console sends them, and the ids that it shows. */
const idsOf = async (client: Client, path: string): Promise<string[]> => {
  const { status, body } = await client.get(path)
  expect(status, path).toBe(200)
  return body.data.map(({ id }: Body) => id).sort()
}

/** The list shows these records, and its CSV file one line for each. */
async function expectShown(client: Client, path: string, expected: readonly string[]): Promise<void> {
  const [list, query = ''] = path.split('?')
  expect(await idsOf(client, path), path).toEqual([...expected].sort())
  const { body } = await client.get(`${list}.csv?${query}`)
  for (const id of expected) expect(body).toContain(id)
  expect(body.trim().split(/\r?\n/), path).toHaveLength(expected.length + 1)
}

describe('the lists of the console', () => {
  test('show the deposits of a status, of a currency, and between two amounts that are included', async () => {
    const client = await newPlatform()
    const deposit = async (amount: number, currency: string): Promise<string> => {
      const before = await idsOf(client, '/deposits')
      expect((await client.post('/sandbox/deposits', { amount, currency })).status).toBe(201)
      await client.advance(0)
      const [made = ''] = (await idsOf(client, '/deposits')).filter((id) => !before.includes(id))
      return made
    }
    const [small, middle, large] = [
      await deposit(100, 'USD'),
      await deposit(200, 'USD'),
      await deposit(300, 'USD'),
    ]
    const euros = await deposit(200, 'EUR')
    const shown = async (query: string, ...expected: string[]) =>
      expect(await idsOf(client, `/deposits?${query}`), query).toEqual(expected.sort())
    await shown('currency=USD', small, middle, large)
    await shown('currency=USD&amountMin=200', middle, large)
    await shown('currency=USD&amountMax=200', small, middle)
    await shown('currency=USD&amountMin=200&amountMax=200', middle)
    await shown('currency=USD&amountMin=301')
    await shown('currency=EUR&status=SUSPENSE', euros)
    await shown('status=CREDITED')
    expectError(await client.get('/deposits?amountMin=1'), { code: 'INVALID_INPUT', field: 'currency' })
    expect(await idsOf(await newPlatform(), '/deposits?currency=USD')).toEqual([])
  })

  test('show the cards of a currency, a state and a holder, in their file too', async () => {
    const client = await newPlatform()
    const [ada, grace] = [await newCustomer(client), await newCustomer(client)]
    const dollars = await newCard(client, ada.id, [ada.usd])
    const euros = await newCard(client, grace.id, [grace.eur])
    const frozen = await newCard(client, grace.id, [grace.usd])
    expect((await client.post(`/cards/${frozen.id}/freeze`, { reason: 'Reported as lost' })).status).toBe(200)
    await expectShown(client, '/cards?currency=USD', [dollars.id, frozen.id])
    await expectShown(client, '/cards?currency=EUR', [euros.id])
    await expectShown(client, '/cards?currency=MXN', [])
    await expectShown(client, `/cards?currency=USD&cardholderId=${grace.id}`, [frozen.id])
    await expectShown(client, '/cards?currency=USD&state=ACTIVE', [dollars.id])
    expect(await idsOf(await newPlatform(), '/cards?currency=USD')).toEqual([])
  })

  test('show the customers of a verification status, a person or a business, and of a currency, in their file too', async () => {
    const client = await newManualPlatform()
    const create = async (body: object): Promise<string> => {
      const reply = await client.post('/customers', body)
      expect(reply.status, JSON.stringify(reply.body)).toBe(201)
      return reply.body.id
    }
    const person = await create({
      customerType: 'INDIVIDUAL',
      fullName: 'Ada Lovelace',
      currencies: ['USD', 'EUR'],
    })
    const business = await create({
      customerType: 'BUSINESS',
      businessInfo: { legalName: 'Acme', incorporatedOn: '1999-12-31', taxId: '12-3456789' },
      currencies: ['USD'],
    })
    await expectShown(client, '/customers?verificationStatus=PENDING', [person, business])
    await expectShown(client, '/customers?verificationStatus=APPROVED', [])
    await expectShown(client, '/customers?verificationStatus=PENDING&customerType=BUSINESS', [business])
    await expectShown(client, '/customers?currency=EUR', [person])
    await expectShown(client, '/customers?currency=USD', [person, business])
    expect(await idsOf(await newPlatform(), '/customers?verificationStatus=PENDING')).toEqual([])
  })
})
