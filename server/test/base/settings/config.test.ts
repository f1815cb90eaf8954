import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { newPlatform } from '../../worlds/client.testing.ts'
import { expectError, forEach } from '../../worlds/contract/calls.testing.ts'

describe('the settings', () => {
  test('refuse unknown fields by name, except read-only ones, and ignore all of them on a lenient platform', async () => {
    const client = await newPlatform()
    const before = (await client.get('/config')).body
    const [usd] = before.supportedCurrencies
    const change = {
      strange: 1,
      id: 'Platform:mine',
      proxyUmaSubdomain: 'mine',
      createdAt: '2020-01-01T00:00:00Z',
      isRegulatedFinancialInstitution: true,
      embeddedWalletConfig: { appname: 'Mine', otpLength: 8 },
      supportedCurrencies: [
        { ...usd, strange: 1, requiredCounterpartyFields: [{ name: 'EMAIL', mandatory: true, strange: 1 }] },
      ],
    }
    const refusal = await client.send('PATCH', '/config', { ...change, lenientInput: true })
    expectError(refusal, { code: 'INVALID_INPUT', field: 'strange' })
    expect(refusal.body.details.errors).toEqual(
      [
        'strange is not known',
        'embeddedWalletConfig.appname is not known; did you mean appName?',
        'supportedCurrencies.0.requiredCounterpartyFields.0.strange is not known',
        'supportedCurrencies.0.strange is not known',
      ].map((message) => ({ field: message.split(' ')[0], message })),
    )
    expect((await client.get('/config')).body).toEqual(before)

    expect((await client.send('PATCH', '/config', { lenientInput: true })).body.lenientInput).toBe(true)
    expect((await client.send('PATCH', '/config?strange=1', change)).status).toBe(200)
    const { body } = await client.get('/config?strange=1')
    expect(toJson(body)).not.toContain('strange')
    const { id, proxyUmaSubdomain, createdAt, isRegulatedFinancialInstitution } = before
    expect(body).toMatchObject({ id, proxyUmaSubdomain, createdAt, isRegulatedFinancialInstitution })
    expect(body.embeddedWalletConfig).toEqual({ ...before.embeddedWalletConfig, otpLength: 8 })
    const customerWithTypo = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', birthDay: '1815-12-10' }
    expect((await client.post('/customers', customerWithTypo)).status).toBe(201)
  })

  test('keep every one of many concurrent changes', async () => {
    const client = await newPlatform()
    const changes = [
      { umaDomain: 'pay.example.com' },
      { webhookEndpoint: 'https://example.com/hooks' },
      { embeddedWalletConfig: { appName: 'A' } },
      { embeddedWalletConfig: { otpLength: 8 } },
      { embeddedWalletConfig: { alphanumeric: true } },
    ]
    await forEach(changes, async (change) =>
      expect((await client.send('PATCH', '/config', change)).status).toBe(200),
    )
    expect((await client.get('/config')).body).toMatchObject({
      umaDomain: 'pay.example.com',
      webhookEndpoint: 'https://example.com/hooks',
      embeddedWalletConfig: { appName: 'A', otpLength: 8, alphanumeric: true },
    })
  })

  test('refuse a webhookEndpoint that can never be reached', async () => {
    const client = await newPlatform()
    const before = (await client.get('/config')).body
    for (const webhookEndpoint of [
      'http://',
      'http://?from=here',
      'http://127.0.0.1:99999/',
      'http://1.2.3.256/',
      'https://example.com:port/',
    ])
      expectError(await client.send('PATCH', '/config', { webhookEndpoint }), {
        code: 'INVALID_INPUT',
        field: 'webhookEndpoint',
        what: webhookEndpoint,
      })
    expect((await client.get('/config')).body).toEqual(before)
  })

  test('stay unchanged, valid fields included, if one field of a request is invalid', async () => {
    const client = await newPlatform()
    const before = (await client.get('/config')).body
    const [usd] = before.supportedCurrencies
    const refusal = await client.send('PATCH', '/config', {
      umaDomain: 'x.example',
      supportedCurrencies: [usd, usd],
    })
    expectError(refusal, { code: 'INVALID_INPUT', field: 'supportedCurrencies.1.currencyCode' })
    expect((await client.get('/config')).body).toEqual(before)
  })
})
