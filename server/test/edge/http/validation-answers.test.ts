import { describe, expect, test } from 'vitest'
import { type Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

/** Maps each field to its fault, without the field name at the start. */
function readFaults({ body }: Reply): Record<string, string> {
  const faults: { field: string; message: string }[] = body.details.errors
  expect(faults[0]).toEqual({ field: body.details.field, message: body.message })
  for (const { field, message } of faults) expect(message).toMatch(new RegExp(`^${field} `))
  return Object.fromEntries(faults.map(({ field, message }) => [field, message.slice(field.length + 1)]))
}

async function expectFaults(client: Client, method: string, path: string, body?: unknown) {
  const reply = await client.send(method, path, body)
  expectError(reply, { code: 'INVALID_INPUT' })
  return readFaults(reply)
}

describe('an invalid request', () => {
  test('is refused with a list of all its faults, in words', async () => {
    const client = await newPlatform()
    expect(
      await expectFaults(client, 'POST', '/customers', {
        customerType: 'BUSINESS',
        fulName: 'Ada',
        platformCustomerId: '',
        region: 'gb',
        currencies: ['usd', 'USD', 'USD'],
        email: 'ada',
        businessInfo: { legalName: 1, incorporatedOn: 'today', taxid: {} },
      }),
    ).toMatchObject({
      platformCustomerId: 'must not be empty',
      region: 'must be a country by its two capital letters, like US',
      currencies: 'must not contain duplicates: items 1 and 2 are equal',
      'currencies.0': 'must be the code of a currency in capital letters, like USD',
      email: 'must be an e-mail address',
      'businessInfo.legalName': 'must be a string',
      'businessInfo.incorporatedOn': 'must be a calendar date like 2026-01-31',
      'businessInfo.taxid': 'is not known; did you mean taxId?',
    })
    expect(
      await expectFaults(client, 'PATCH', '/config', {
        webhookEndpoint: 'ftp://example.com',
        supportedCurrencies: [
          { currencyCode: 'USD', minAmount: -1, maxAmount: '1', enabledTransactionTypes: ['OUT'] },
        ],
        embeddedWalletConfig: { otpLength: 10, alphanumeric: 'no', expirationSeconds: 60.5 },
        passkeyConfig: { rpId: 'x'.repeat(254), origins: [] },
        oauthConfig: [],
        lenientInput: null,
      }),
    ).toEqual({
      webhookEndpoint: 'must be a URL that begins with https:// or http://',
      'supportedCurrencies.0.minAmount': 'must be an integer of at least 0',
      'supportedCurrencies.0.maxAmount': 'must be an integer of at least 0',
      'supportedCurrencies.0.requiredCounterpartyFields': 'is required',
      'supportedCurrencies.0.enabledTransactionTypes.0': 'must be one of INCOMING, OUTGOING',
      'embeddedWalletConfig.otpLength': 'must be at most 9',
      'embeddedWalletConfig.alphanumeric': 'must be true or false',
      'embeddedWalletConfig.expirationSeconds': 'must be an integer',
      'passkeyConfig.rpId': 'must have at most 253 characters',
      'passkeyConfig.origins': 'must not be empty',
      oauthConfig: 'must be an object',
      lenientInput: 'must be true or false',
    })
    expect(
      await expectFaults(client, 'GET', '/transactions?limit=101&status=DONE&startDate=now&custmerId=x'),
    ).toEqual({
      limit: 'must be at most 100',
      status: expect.stringContaining('must be one of '),
      startDate: 'must be a time with a time zone, like 2026-01-31T12:00:00Z',
      custmerId: 'is not known; did you mean customerId?',
    })
    const wrongKey = { clientPublicKey: `05${'0'.repeat(128)}` }
    expect(await expectFaults(client, 'POST', '/auth/sessions/x/refresh', wrongKey)).toEqual({
      clientPublicKey:
        'must be an uncompressed P-256 public key in hex: 130 characters, the first two of them 04',
    })
    const wrongAccount = { customerId: 'Account:1', currency: 'USD', accountInfo: { accountType: 'BANK' } }
    expect(await expectFaults(client, 'POST', '/customers/external-accounts', wrongAccount)).toEqual({
      customerId: 'must be an id of the form Customer:…',
      'accountInfo.accountType': expect.stringMatching(/^must be one of .*USD_ACCOUNT/),
    })
  })

  test('is refused in a short response with at most twenty faults, however large it is', async () => {
    const client = await newPlatform()
    const buildCurrencies = (count: number) => ({ supportedCurrencies: Array(count).fill({ a: 1 }) })
    const reply = await client.send('PATCH', '/config', buildCurrencies(10))
    expect(reply.body.details.errors).toHaveLength(20)
    const hugeBodies = [
      buildCurrencies(50_000),
      { supportedCurrencies: Array(100_000).fill(0) },
      { passkeyConfig: { origins: Array.from({ length: 50_000 }, (_, at) => `${at}`) } },
      { umaDomain: 'a.'.repeat(100_000), webhookEndpoint: 'https://'.repeat(50_000) },
      Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`member${at}`, at])),
    ]
    for (const body of hugeBodies) {
      const reply = await client.send('PATCH', '/config', body)
      if (reply.status === 413) continue
      expectError(reply, { code: 'INVALID_INPUT' })
      expect(reply.body.details.errors.length).toBeLessThanOrEqual(20)
      expect(JSON.stringify(reply.body).length).toBeLessThan(10_000)
    }
  })
})
