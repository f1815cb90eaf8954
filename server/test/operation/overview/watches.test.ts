import { WATCH_NAMES, watchMetric } from '@countersign/contract/operation/watches'
import { expect, inject, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

interface Reading {
  readonly watch: string
  readonly subject: string
  readonly isCrossed: boolean
}

const readWatches = async (client: Client): Promise<Reading[]> => (await client.get('/overview')).body.watches

const setWatches = (client: Client, watchConfig: object) => client.send('PATCH', '/config', { watchConfig })

const readMetrics = async () => (await fetch(new URL('/metrics', inject('baseUrl')))).text()

test('a rail and a position are compared with their low-water marks, in the overview and the metrics', async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.usd, 100_000)
  const reply = await setWatches(client, {
    railMarks: [
      { rail: 'sandbox', currencyCode: 'USD', amount: 100_001 },
      { rail: 'sandbox', currencyCode: 'EUR', amount: 0 },
    ],
    positionMarks: [{ currencyCode: 'EUR', amount: -500 }],
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  expect(reply.body.watchConfig).toMatchObject({ reconciliationAgeHours: 96 })
  const rail = { watch: 'RAIL_BALANCE', subject: 'sandbox' }
  const markedWatches = (await readWatches(client)).filter(({ watch }) => watch !== 'WORKER')
  expect(markedWatches).toEqual([
    { ...rail, unit: 'USD', value: '1000.00', limit: '1000.01', isCrossed: true },
    { ...rail, unit: 'EUR', value: '0.00', limit: '0.00', isCrossed: false },
    { watch: 'FX_POSITION', subject: 'EUR', unit: 'EUR', value: '0.00', limit: '-5.00', isCrossed: false },
  ])
  const platform = (await client.get('/config')).body.id
  const labels = `{platform="${platform}",subject="sandbox",unit="USD"}`
  const text = await readMetrics()
  expect(text).toContain(`countersign_watch_rail_balance${labels} 1000\n`)
  expect(text).toContain(`countersign_watch_rail_balance_limit${labels} 1000.01\n`)
  await fund(client, customer.usd, 1)
  expect((await readWatches(client)).filter(({ isCrossed }) => isCrossed)).toEqual([])
  // Setting one list replaces it as a whole, and keeps the others.
  expect((await setWatches(client, { railMarks: [] })).body.watchConfig.positionMarks).toEqual([
    { currencyCode: 'EUR', amount: -500 },
  ])
  expect((await readWatches(client)).filter(({ watch }) => watch === 'RAIL_BALANCE')).toEqual([])
  expect(await readMetrics()).not.toContain(`countersign_watch_rail_balance${labels}`)
})

test('a mark must name a rail of the platform and a known currency, each pair only once', async () => {
  const client = await newPlatform()
  const usd = { rail: 'sandbox', currencyCode: 'USD', amount: 1 }
  const path = 'watchConfig.railMarks'
  expectError(await setWatches(client, { railMarks: [{ ...usd, rail: 'elsewhere' }] }), {
    code: 'INVALID_INPUT',
    field: `${path}.0.rail`,
  })
  expectError(await setWatches(client, { railMarks: [usd, { ...usd, amount: 2 }] }), {
    code: 'INVALID_INPUT',
    field: `${path}.1.currencyCode`,
  })
  expectError(await setWatches(client, { positionMarks: [{ currencyCode: 'XTS', amount: 1 }] }), {
    code: 'INVALID_CURRENCY',
    field: 'watchConfig.positionMarks.0.currencyCode',
  })
  for (const [change, field] of [
    [{ railMarks: [{ ...usd, amount: -1 }] }, `${path}.0.amount`],
    [{ reconciliationAgeHours: 0 }, 'watchConfig.reconciliationAgeHours'],
  ] as const)
    expect((await setWatches(client, change)).body.details.field).toBe(field)
  expect((await client.get('/config')).body.watchConfig).toEqual({
    railMarks: [],
    positionMarks: [],
    reconciliationAgeHours: 96,
  })
})

test('the marks of one platform are not shown to another', async () => {
  const client = await newPlatform()
  await setWatches(client, { positionMarks: [{ currencyCode: 'USD', amount: 5 }] })
  expect((await readWatches(client)).map(({ watch }) => watch)).toContain('FX_POSITION')
  const stranger = await newPlatform()
  expect((await readWatches(stranger)).map(({ watch }) => watch)).not.toContain('FX_POSITION')
})

test('the workers of a server run, and each watch has a metric for its value and one for its limit', async () => {
  const workers = (await readWatches(await newPlatform())).filter(({ watch }) => watch === 'WORKER')
  expect(workers).toContainEqual(
    expect.objectContaining({ subject: 'webhooks', unit: 's', limit: '300', isCrossed: false }),
  )
  const text = await readMetrics()
  for (const name of WATCH_NAMES)
    for (const metric of [watchMetric(name), `${watchMetric(name)}_limit`])
      expect(text).toContain(`# TYPE ${metric} gauge\n`)
  expect(text).toMatch(/^countersign_watch_worker\{platform="",subject="webhooks",unit="s"\} \d+$/m)
})
