import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'
import { newCard, use } from '../../worlds/records/cards.testing.ts'
import { newEuroAccount, newMandate } from '../../worlds/records/external-accounts.testing.ts'

let client: Client
let ids: Record<string, string>

async function findRecords(searcher: Client, query: string): Promise<Reply['body'][]> {
  const reply = await searcher.get(`/search?query=${encodeURIComponent(query)}`)
  expect(reply.status, query).toBe(200)
  return reply.body.data
}

async function createRecord(path: string, body: unknown): Promise<Reply['body']> {
  const reply = await client.post(path, body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

beforeAll(async () => {
  client = await newPlatform()
  const customer = await newCustomer(client, {
    fullName: "Zoë O'Brien-Smythe",
    email: 'Zoe.Smythe@mail.example',
    phoneNumber: '+14155552671',
    platformCustomerId: 'crm-0042',
  })
  const business = await createRecord('/customers', {
    customerType: 'BUSINESS',
    businessInfo: {
      legalName: 'Óbidos Trading <b>GmbH</b>',
      registrationNumber: '4711',
      incorporatedOn: '2001-02-03',
      taxId: '99',
    },
  })
  const external = await newBankAccount(client, customer.id, '4343')
  await fund(client, customer.usd, 100_000)
  const quote = await createRecord('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: customer.usd },
    destination: { destinationType: 'ACCOUNT', accountId: external },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 2_500,
  })
  const transaction = (await client.get(`/transactions/${quote.transactionId}`)).body
  const agent = await newAgent(client, customer.id)
  const card = await newCard(client, customer.id, [customer.usd])
  expect((await use(client, card.id, 450, { descriptor: 'BLUE BOTTLE, OAKLAND' })).status).toBe(200)
  const event = (await client.events())[0].id
  const mandate = await newMandate(client, await newEuroAccount(client, customer.id), { reference: 'Acme/7' })
  ids = {
    CUSTOMER: customer.id,
    EXTERNAL_ACCOUNT: external,
    MANDATE: mandate.id,
    INTERNAL_ACCOUNT: customer.usd,
    QUOTE: quote.id,
    TRANSACTION: transaction.id,
    AGENT: agent.id,
    CARD: card.id,
    EVENT: event,
    business: business.id,
    last4: card.last4,
    uma: (await client.get(`/customers/${customer.id}`)).body.umaAddress,
    reference: transaction.reconciliationInstructions?.reference ?? '',
    agentName: (await client.get(`/agents/${agent.id}`)).body.name,
  }
})

describe('a search finds', () => {
  test('a record of every kind by its id, with or without the kind prefix', async () => {
    for (const type of [
      'CUSTOMER',
      'TRANSACTION',
      'QUOTE',
      'CARD',
      'AGENT',
      'EXTERNAL_ACCOUNT',
      'MANDATE',
      'INTERNAL_ACCOUNT',
      'EVENT',
    ]) {
      const id = ids[type]!
      const bareId = id.slice(id.indexOf(':') + 1)
      for (const term of [id, bareId, ` ${bareId.toUpperCase()} `])
        expect(await findRecords(client, term), `${type} ${term}`).toEqual([
          expect.objectContaining({ type, id, title: expect.any(String) }),
        ])
    }
  })

  test.each([
    "o'brien",
    'SMY',
    'zoë smythe',
    'smythe zo',
    'zoe.smythe@MAIL',
    '+14155552671',
    '14155552671',
    '+1 (415) 555-2671',
    'crm-0042',
    'mail.example',
    'smythe@mail.example',
    '2671',
  ])('a customer by %s', async (term) => {
    expect(await findRecords(client, term)).toEqual([
      {
        type: 'CUSTOMER',
        id: ids.CUSTOMER,
        title: "Zoë O'Brien-Smythe",
        detail: 'Zoe.Smythe@mail.example',
      },
    ])
    const { data } = (await client.get(`/customers?search=${encodeURIComponent(term)}`)).body
    expect(data.map(({ id }: { id: string }) => id)).toEqual([ids.CUSTOMER])
  })

  test('a business, a payment, a card, an account, a mandate and an agent by identifiers that people know', async () => {
    const findIds = async (term: string) => (await findRecords(client, term)).map(({ id }) => id)
    expect(await findIds('tradi')).toEqual([ids.business])
    expect(await findIds('acme/7')).toEqual([ids.MANDATE])
    expect(await findIds('Acme')).toEqual([])
    expect(await findIds(ids.last4!)).toContain(ids.CARD)
    expect(await findIds('1234564343')).toEqual([ids.EXTERNAL_ACCOUNT])
    expect(await findIds('12345 64343')).toEqual([ids.EXTERNAL_ACCOUNT])
    expect(await findIds('4343')).toEqual([ids.EXTERNAL_ACCOUNT])
    expect(await findIds(ids.agentName!.slice(0, 3))).toContain(ids.AGENT)
    expect(await findIds(ids.uma!.toUpperCase())).toEqual([ids.CUSTOMER])
    expect(ids.reference).not.toBe('')
    expect(await findIds(ids.reference!.toLowerCase())).toEqual([ids.TRANSACTION])
    expect(await findIds(ids.reference!.slice(0, 8))).toEqual([ids.TRANSACTION])
    expect(await findIds('CS')).toEqual([])
  })

  test.each(['25', '25.00', '25.0 USD', '25 usd'])('a payment by its amount %s', async (term) => {
    expect((await findRecords(client, term)).map(({ id }) => id)).toContain(ids.TRANSACTION)
  })

  test.each(['25.01', '25.00 EUR', '25.000000000000000001', '9223372036854775807', '25.00 XYZ', '-25'])(
    'no payment by another amount %s',
    async (term) => {
      expect((await findRecords(client, term)).map(({ id }) => id)).not.toContain(ids.TRANSACTION)
    },
  )

  test('a card by a merchant where it was used', async () => {
    expect(await findRecords(client, 'bottle')).toEqual([
      expect.objectContaining({ type: 'CARD', id: ids.CARD, detail: 'Used at BLUE BOTTLE, OAKLAND' }),
    ])
    for (const term of ['bo', '%ottle', 'bot_le']) expect(await findRecords(client, term), term).toEqual([])
  })
})

test('a search finds nothing of another platform, and nothing that was deleted', async () => {
  const stranger = await newPlatform()
  for (const term of [...Object.values(ids), 'zoë', 'mail.example', 'crm-0042', '4343', '25.00', 'bottle'])
    expect(await findRecords(stranger, term), term).toEqual([])
  const deletedCustomer = await newCustomer(stranger, { fullName: 'Quintus Gone' })
  expect(await findRecords(stranger, 'quintus')).toHaveLength(1)
  expect((await stranger.send('DELETE', `/customers/${deletedCustomer.id}`)).status).toBe(200)
  expect(await findRecords(stranger, 'quintus')).toEqual([])
  expect(await findRecords(stranger, deletedCustomer.id)).toEqual([])
})

test('a search treats any characters as plain text, and matches only its words', async () => {
  const specialTerms = [
    "'",
    "' OR '1'='1",
    'a & b | !c',
    "\\'",
    ':*',
    '<script>alert(1)</script>',
    '%',
    '_',
    '()',
    'é'.repeat(255),
    '!!zoë',
    'zoë:*',
  ]
  for (const term of specialTerms) {
    const results = await findRecords(client, term)
    expect(
      results.map(({ id }) => id),
      term,
    ).toEqual(term.includes('zoë') ? [ids.CUSTOMER] : [])
  }
  const reply = await client.get(`/search?query=${'a'.repeat(256)}`)
  expectError(reply, { code: 'INVALID_INPUT', field: 'query' })
  expectError(await client.get('/search'), { code: 'INVALID_INPUT', field: 'query' })
})
