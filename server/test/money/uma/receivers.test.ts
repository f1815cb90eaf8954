import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { ConfigError } from '../../../src/base/settings/config-error.ts'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
} from '../../worlds/client.testing.ts'
import { buildMissingId, expectError } from '../../worlds/contract/calls.testing.ts'

const DOMAIN = 'sandbox.uma.test'

function lookUp(client: Client, address: string, query = ''): Promise<Reply> {
  return client.get(`/receiver/uma/${encodeURIComponent(address)}${query}`)
}

const listCodes = (reply: Reply) =>
  reply.body.supportedCurrencies.map((one: { currency: { code: string } }) => one.currency.code)

/** A quote from an account with enough money. */
async function createQuote(
  client: Client,
  accountId: string,
  destination: object,
  side: string,
  amount: number,
) {
  return client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId },
    destination,
    lockedCurrencySide: side,
    lockedCurrencyAmount: amount,
  })
}

describe('the receivers of the sandbox', () => {
  test.each([
    ['$success.usd', 'USD'],
    ['$success.eur', 'EUR'],
    ['$success.mxn', 'MXN'],
    ['$pending.long.usd', 'USD'],
    ['$fail.compliance.usd', 'USD'],
  ])('include %s for %s, in upper or lower case', async (name, currency) => {
    const client = await newPlatform()
    for (const address of [`${name}@${DOMAIN}`, `${name}@${DOMAIN}`.toUpperCase()]) {
      const reply = await lookUp(client, address)
      expect(reply.status, toJson(reply.body)).toBe(200)
      expect(reply.body).toEqual({
        receiverUmaAddress: `${name}@${DOMAIN}`,
        supportedCurrencies: [
          expect.objectContaining({ currency: expect.objectContaining({ code: currency }) }),
        ],
        requiredPayerDataFields: [],
        lookupId: expect.stringMatching(/^Lookup:/),
      })
    }
  })

  test('show the rate, minimum and maximum of a quote', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    const { supportedCurrencies } = (await client.get('/config')).body
    const [usd, ...others] = supportedCurrencies
    await client.send('PATCH', '/config', {
      supportedCurrencies: [{ ...usd, minAmount: 1000, maxAmount: 500_000 }, ...others],
    })
    await fund(client, customer.usd, 600_000)
    for (const name of ['$success.eur', '$success.mxn', '$success.usd']) {
      const umaAddress = `${name}@${DOMAIN}`
      const [preference] = (await lookUp(client, umaAddress)).body.supportedCurrencies
      const { min, max, estimatedExchangeRate } = preference
      expect(preference.sendingCurrency.code).toBe('USD')
      const destination = { destinationType: 'UMA_ADDRESS', umaAddress }
      const quoteReceiving = (amount: number) =>
        createQuote(client, customer.usd, destination, 'RECEIVING', amount)
      for (const amount of [min, max]) {
        const reply = await quoteReceiving(amount)
        expect(reply, `${name} ${toJson(reply.body)}`).toMatchObject({
          status: 201,
          body: { exchangeRate: estimatedExchangeRate },
        })
      }
      for (const amount of [min - 1, max + 1])
        expectError(await quoteReceiving(amount), { code: 'AMOUNT_OUT_OF_RANGE', what: `${name} ${amount}` })
    }
  })
})

test('the host of the sandbox receivers is a setting, and an invalid host fails the start', () => {
  const readDomain = (text: string) => readConfig({ UMA_DOMAIN: text }).sandboxUmaDomain
  expect([readDomain(''), readDomain('UMA.test:8080')]).toEqual([DOMAIN, 'uma.test:8080'])
  for (const invalidDomain of [
    '$a@b.example',
    'a b',
    '-x',
    'https://uma.test',
    'uma.test:',
    'uma.test:0',
    'uma..test',
    'uma.test/',
  ])
    expect(() => readDomain(invalidDomain), invalidDomain).toThrow(ConfigError)
  expect(() => readDomain('a b')).toThrow('UMA_DOMAIN')
})

describe('a customer of the platform', () => {
  test('receives the currencies of its open accounts: its own currencies first, the wallet last', async () => {
    const client = await newPlatform()
    const { id } = await newCustomer(client, { umaAddress: '$ada@pay.example:8443', currencies: ['MXN'] })
    const reply = await lookUp(client, '$ADA@pay.example:8443')
    expect(listCodes(reply)).toEqual(['MXN', 'USD', 'EUR', 'USDC', 'USDB'])
    const { supportedCurrencies } = (await client.get('/config')).body
    await client.send('PATCH', '/config', {
      supportedCurrencies: supportedCurrencies.map((one: { currencyCode: string }) =>
        one.currencyCode === 'EUR' ? { ...one, enabledTransactionTypes: ['OUTGOING'] } : one,
      ),
    })
    expect(listCodes(await lookUp(client, '$ada@pay.example:8443'))).toEqual(['MXN', 'USD', 'USDC', 'USDB'])
    await client.send('DELETE', `/customers/${id}`)
    expectError(await lookUp(client, '$ada@pay.example:8443'), {
      code: 'UMA_NOT_FOUND',
      field: 'receiverUmaAddress',
    })
  })

  test('is paid by another customer, and both have a transaction for it', async () => {
    const client = await newPlatform()
    const [ada, bea] = [await newCustomer(client), await newCustomer(client)]
    const { umaAddress, platformCustomerId } = (await client.get(`/customers/${bea.id}`)).body
    await fund(client, ada.usd, 10_000)
    const destination = { destinationType: 'UMA_ADDRESS', umaAddress, currency: 'USD' }
    const { body } = await createQuote(client, ada.usd, destination, 'RECEIVING', 2500)
    expect((await client.post(`/quotes/${body.id}/execute`)).status).toBe(200)
    await client.advance(0)
    expect((await client.get(`/transactions/${body.transactionId}`)).body.status).toBe('COMPLETED')
    const received = (await client.get(`/transactions?customerId=${bea.id}`)).body.data
    expect(received).toEqual([
      expect.objectContaining({
        type: 'INCOMING',
        direction: 'CREDIT',
        status: 'COMPLETED',
        source: { sourceType: 'ACCOUNT', accountId: ada.usd, currency: 'USD' },
        destination: { destinationType: 'ACCOUNT', accountId: bea.usd, currency: 'USD' },
        platformCustomerId,
        receivedAmount: { amount: 2500, currency: expect.objectContaining({ code: 'USD' }) },
        settledAt: expect.any(String),
      }),
    ])
    const events = await client.events(`&objectId=${received[0].id}`)
    expect(events).toMatchObject([{ type: 'INCOMING_PAYMENT.COMPLETED', data: received[0] }])
  })
})

test('a host is one or more labels separated by dots, with an optional port', async () => {
  const client = await newPlatform()
  const label = 'b'.repeat(63)
  const hosts = [
    'localhost',
    'localhost:1',
    'a-b.c--d.example:65535',
    `${label}.${label}.example`,
    '127.0.0.1:8443',
  ]
  for (const host of hosts) {
    const umaAddress = `$ada@${host}`
    await newCustomer(client, { umaAddress })
    expect((await lookUp(client, umaAddress)).status, host).toBe(200)
    expect((await client.send('PATCH', '/config', { umaDomain: host })).body.umaDomain).toBe(host)
  }
  for (const host of [
    'pay..example',
    'pay.example:0',
    'pay.example:65536',
    `${label}b.example`,
    'b.'.repeat(100),
  ])
    expectError(await client.send('PATCH', '/config', { umaDomain: host }), {
      code: 'INVALID_INPUT',
      field: 'umaDomain',
      what: host,
    })
})

describe('no receiver is found', () => {
  test('at an unused address, or at the address of a customer who cannot receive', async () => {
    const [client, otherPlatform] = [await newPlatform(), await newPlatform()]
    await newCustomer(otherPlatform, { umaAddress: '$other@pay.example' })
    const waiting = { customerType: 'INDIVIDUAL', fullName: 'Ada 001', umaAddress: '$waiting@pay.example' }
    expect((await client.post('/customers', waiting)).status).toBe(201)
    const names = ['$toString', '$constructor', '$success', '$success.gbp', '$xsuccess.usd']
    const addresses = ['$other@pay.example', '$waiting@pay.example', '$success.usd@pay.example']
    for (const address of [...addresses, ...names.map((name) => `${name}@${DOMAIN}`)])
      expectError(await lookUp(client, address), {
        code: 'UMA_NOT_FOUND',
        field: 'receiverUmaAddress',
        what: address,
      })
  })

  test('at an invalid address', async () => {
    const client = await newPlatform()
    const { usd } = await newCustomer(client)
    const invalidAddresses = [
      '$',
      'x',
      '$a',
      '$a@',
      '$@b.example',
      'a@b.example',
      '$a@b@c.example',
      '$a b@c.example',
    ]
    invalidAddresses.push(
      '$a@-b.example',
      '$a@b.example-',
      '$a@b_c.example',
      '$a@b.example:',
      '$a@b.example:123456',
      '$a@b/c',
    )
    invalidAddresses.push(
      `$${'a'.repeat(65)}@b.example`,
      `$a@${'b'.repeat(200)}.example`,
      '$a@b.example\n',
      '$ſ@b.example',
    )
    invalidAddresses.push('$a@\u212aelvin.example', '$💥@b.example', buildMissingId('Customer'))
    invalidAddresses.push(
      '$a@b..example',
      '$a@b-.example',
      '$a@b.-example',
      '$a@b.example.',
      `$a@${'b'.repeat(64)}.example`,
    )
    invalidAddresses.push('$a@b.example:0', '$a@b.example:65536', '$a@b.example:99999', '$a@b.example:080')
    invalidAddresses.push(
      `$a@${'b'.repeat(250)}.example`,
      `$a@${'b.'.repeat(130)}example`,
      '$a\u0000@b.example',
    )
    for (const address of invalidAddresses) {
      expectError(await lookUp(client, address), {
        code: 'INVALID_UMA_ADDRESS',
        field: 'receiverUmaAddress',
        what: address,
      })
      const destination = { destinationType: 'UMA_ADDRESS', umaAddress: address }
      expectError(await createQuote(client, usd, destination, 'SENDING', 1000), {
        code: 'INVALID_UMA_ADDRESS',
        field: 'destination.umaAddress',
        what: address,
      })
      const query = `?senderUmaAddress=${encodeURIComponent(address)}`
      expectError(await lookUp(client, `$success.usd@${DOMAIN}`, query), {
        code: 'INVALID_UMA_ADDRESS',
        field: 'senderUmaAddress',
        what: address,
      })
    }
  })
})

describe('a lookup that names the sender', () => {
  test('returns the currency that the customer sends', async () => {
    const client = await newPlatform()
    const { id } = await newCustomer(client, { currencies: ['EUR', 'USD'] })
    const { umaAddress } = (await client.get(`/customers/${id}`)).body
    const address = `$success.mxn@${DOMAIN}`
    const readSendingCurrency = async (query: string) => {
      const reply = await lookUp(client, address, query)
      expect(reply.status, toJson(reply.body)).toBe(200)
      return reply.body.supportedCurrencies[0].sendingCurrency.code
    }
    const sender = encodeURIComponent(umaAddress)
    expect(await readSendingCurrency('')).toBe('USD')
    expect(await readSendingCurrency(`?customerId=${id}`)).toBe('EUR')
    expect(await readSendingCurrency(`?senderUmaAddress=${sender}&customerId=${id}`)).toBe('EUR')
    const otherCustomer = await newCustomer(client)
    expectError(await lookUp(client, address, `?senderUmaAddress=${sender}&customerId=${otherCustomer.id}`), {
      code: 'INVALID_INPUT',
      field: 'customerId',
    })
    expectError(await lookUp(client, address, '?senderUmaAddress=%24x%40b.example'), {
      code: 'UMA_NOT_FOUND',
      field: 'senderUmaAddress',
    })
    expectError(await lookUp(client, address, `?customerId=${buildMissingId('Customer')}`), {
      code: 'USER_NOT_FOUND',
      field: 'customerId',
    })
  })
})

describe('an external account', () => {
  test('receives its own currency, and is not found for another customer', async () => {
    const client = await newPlatform()
    const [owner, otherCustomer] = [await newCustomer(client), await newCustomer(client)]
    const account = await newBankAccount(client, owner.id)
    const path = `/receiver/external-account/${account}`
    for (const query of ['', `?customerId=${owner.id}`])
      expect(await client.get(path + query)).toMatchObject({
        status: 200,
        body: {
          accountId: account,
          supportedCurrencies: [{ currency: { code: 'USD' }, estimatedExchangeRate: 1, min: 1 }],
          lookupId: expect.stringMatching(/^Lookup:/),
        },
      })
    expectError(await client.get(`${path}?customerId=${otherCustomer.id}`), {
      code: 'ACCOUNT_NOT_FOUND',
      field: 'accountId',
    })
    await client.send('DELETE', `/customers/external-accounts/${account}`)
    expectError(await client.get(path), { code: 'ACCOUNT_NOT_FOUND', field: 'accountId' })
  })
})
