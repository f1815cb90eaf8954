import { WATCH_NAMES, watchMetric } from '@countersign/contract/operation/watches'
import { expect, inject, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

interface Reading {
  readonly watch: string
  readonly subject: string
  readonly isCrossed: boolean
}

const watchesOf = async (client: Client): Promise<Reading[]> => (await client.get('/overview')).body.watches

const set = (client: Client, watchConfig: object) => client.send('PATCH', '/config', { watchConfig })

const metrics = async () => (await fetch(new URL('/metrics', inject('baseUrl')))).text()

test('a rail and a position are compared with their low-water marks, in the overview and the metrics', async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.usd, 100_000)
  const changed = await set(client, {
    railMarks: [
      { rail: 'sandbox', currencyCode: 'USD', amount: 100_001 },
      { rail: 'sandbox', currencyCode: 'EUR', amount: 0 },
    ],
    positionMarks: [{ currencyCode: 'EUR', amount: -500 }],
  })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  expect(changed.body.watchConfig).toMatchObject({ reconciliationAgeHours: 96 })
  const rail = { watch: 'RAIL_BALANCE', subject: 'sandbox' }
  const marked = (await watchesOf(client)).filter(({ watch }) => watch !== 'WORKER')
  expect(marked).toEqual([
    { ...rail, unit: 'USD', value: '1000.00', limit: '1000.01', isCrossed: true },
    { ...rail, unit: 'EUR', value: '0.00', limit: '0.00', isCrossed: false },
    { watch: 'FX_POSITION', subject: 'EUR', unit: 'EUR', value: '0.00', limit: '-5.00', isCrossed: false },
  ])
  const platform = (await client.get('/config')).body.id
  const labels = `{platform="${platform}",subject="sandbox",unit="USD"}`
  const text = await metrics()
  expect(text).toContain(`countersign_watch_rail_balance${labels} 1000\n`)
  expect(text).toContain(`countersign_watch_rail_balance_limit${labels} 1000.01\n`)
  await fund(client, customer.usd, 1)
  expect((await watchesOf(client)).filter(({ isCrossed }) => isCrossed)).toEqual([])
  // A list is replaced as a whole, and the others stay.
  expect((await set(client, { railMarks: [] })).body.watchConfig.positionMarks).toEqual([
    { currencyCode: 'EUR', amount: -500 },
  ])
  expect((await watchesOf(client)).filter(({ watch }) => watch === 'RAIL_BALANCE')).toEqual([])
  expect(await metrics()).not.toContain(`countersign_watch_rail_balance${labels}`)
})

test('a mark names a rail of the platform, a known currency, and each once', async () => {
  const client = await newPlatform()
  const usd = { rail: 'sandbox', currencyCode: 'USD', amount: 1 }
  const at = 'watchConfig.railMarks'
  expectError(await set(client, { railMarks: [{ ...usd, rail: 'elsewhere' }] }), {
    code: 'INVALID_INPUT',
    field: `${at}.0.rail`,
  })
  expectError(await set(client, { railMarks: [usd, { ...usd, amount: 2 }] }), {
    code: 'INVALID_INPUT',
    field: `${at}.1.currencyCode`,
  })
  expectError(await set(client, { positionMarks: [{ currencyCode: 'XTS', amount: 1 }] }), {
    code: 'INVALID_CURRENCY',
    field: 'watchConfig.positionMarks.0.currencyCode',
  })
  for (const [change, field] of [
    [{ railMarks: [{ ...usd, amount: -1 }] }, `${at}.0.amount`],
    [{ reconciliationAgeHours: 0 }, 'watchConfig.reconciliationAgeHours'],
  ] as const)
    expect((await set(client, change)).body.details.field).toBe(field)
  expect((await client.get('/config')).body.watchConfig).toEqual({
    railMarks: [],
    positionMarks: [],
    reconciliationAgeHours: 96,
  })
})

test('the marks of one platform do not show at another', async () => {
  const client = await newPlatform()
  await set(client, { positionMarks: [{ currencyCode: 'USD', amount: 5 }] })
  expect((await watchesOf(client)).map(({ watch }) => watch)).toContain('FX_POSITION')
  const stranger = await newPlatform()
  expect((await watchesOf(stranger)).map(({ watch }) => watch)).not.toContain('FX_POSITION')
})

test('the workers of a server run, and each watch has a metric and one of its limit', async () => {
  const workers = (await watchesOf(await newPlatform())).filter(({ watch }) => watch === 'WORKER')
  expect(workers).toContainEqual(
    expect.objectContaining({ subject: 'webhooks', unit: 's', limit: '300', isCrossed: false }),
  )
  const text = await metrics()
  for (const name of WATCH_NAMES)
    for (const metric of [watchMetric(name), `${watchMetric(name)}_limit`])
      expect(text).toContain(`# TYPE ${metric} gauge\n`)
  expect(text).toMatch(/^countersign_watch_worker\{platform="",subject="webhooks",unit="s"\} \d+$/m)
})
