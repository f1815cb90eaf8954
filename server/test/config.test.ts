import { describe, expect, test } from 'vitest'
import { toJson } from '../src/json.ts'
import { expectError, forEach } from './calls.testing.ts'
import { newPlatform } from './client.testing.ts'

describe('the settings', () => {
  test('keep nothing that they do not name, at any level', async () => {
    const client = await newPlatform()
    const before = (await client.get('/config')).body
    const [usd] = before.supportedCurrencies
    const reply = await client.send('PATCH', '/config', {
      strange: 1,
      id: 'Platform:mine',
      proxyUmaSubdomain: 'mine',
      createdAt: '2020-01-01T00:00:00Z',
      isRegulatedFinancialInstitution: true,
      embeddedWalletConfig: { appName: 'Mine', strange: { deep: true } },
      supportedCurrencies: [
        { ...usd, strange: 1, requiredCounterpartyFields: [{ name: 'EMAIL', mandatory: true, strange: 1 }] },
      ],
    })
    expect(reply.status).toBe(200)
    const { body } = await client.get('/config')
    expect(toJson(body)).not.toContain('strange')
    const { id, proxyUmaSubdomain, createdAt, isRegulatedFinancialInstitution } = before
    expect(body).toMatchObject({ id, proxyUmaSubdomain, createdAt, isRegulatedFinancialInstitution })
    expect(body.embeddedWalletConfig.appName).toBe('Mine')
  })

  test('lose no change of many that are made at once', async () => {
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

  test('take no webhookEndpoint that nobody could ever be at', async () => {
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

  test('that are refused change nothing, also what was good in them', async () => {
    const client = await newPlatform()
    const before = (await client.get('/config')).body
    const [usd] = before.supportedCurrencies
    const refused = await client.send('PATCH', '/config', {
      umaDomain: 'x.example',
      supportedCurrencies: [usd, usd],
    })
    expectError(refused, { code: 'INVALID_INPUT', field: 'supportedCurrencies.1.currencyCode' })
    expect((await client.get('/config')).body).toEqual(before)
  })
})
