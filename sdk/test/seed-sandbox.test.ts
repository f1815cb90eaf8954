import { expect, test } from 'vitest'
import { Countersign } from '../src/countersign.ts'
import { seedSandbox } from '../src/testing/seed-sandbox.ts'
import { makePlatform } from './platform.testing.ts'

test('a seeded sandbox has failures, approvals and days of payments, and the same seed creates the same names', {
  tags: 'long',
}, async () => {
  const countersign = new Countersign(await makePlatform())
  const steps: number[] = []
  const { customerIds } = await seedSandbox(countersign, {
    customers: 5,
    days: 6,
    onProgress: ({ done, total }) => steps.push(done / total),
  })
  expect(steps).toEqual([...steps].sort((a, b) => a - b))
  expect(steps.at(-1)).toBe(1)
  expect(customerIds).toHaveLength(5)
  const now = (await countersign.sandbox.clock()).now
  const startDate = new Date(new Date(now).getTime() - 8 * 86_400_000).toISOString()
  const { data } = await countersign.transactions.statistics({ interval: 'DAY', startDate })
  expect(new Set(data.map(({ start }) => start)).size).toBeGreaterThan(4)
  expect(new Set(data.map(({ status }) => status))).toContain('FAILED')
  const kinds = new Set((await countersign.approvals.list()).data.map(({ kind }) => kind))
  expect(kinds).toEqual(new Set(['AGENT_ACTION', 'DEPOSIT']))
  expect((await countersign.cards.list()).data.length).toBe(3)
  expect((await countersign.verifications.list()).data.length).toBeGreaterThan(0)
  expect(
    (await countersign.quotes.list({ limit: 100 })).data.some(({ status }) => status === 'EXPIRED'),
  ).toBe(true)
  const other = new Countersign(await makePlatform())
  await seedSandbox(other, { customers: 2, days: 0 })
  const readName = async (from: Countersign) => {
    const names: string[] = []
    for await (const customer of from.customers.list())
      names.push('fullName' in customer ? (customer.fullName ?? '') : '')
    return names.reverse().slice(0, 2)
  }
  expect(await readName(other)).toEqual(await readName(countersign))
})
