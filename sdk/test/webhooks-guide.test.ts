import { readFile } from 'node:fs/promises'
import { WEBHOOKS } from '@countersign/contract/events/webhooks'
import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)('the webhooks guide runs exactly as written', async () => {
  const { stdout } = await runGuide('webhooks.md')
  expect(stdout.trim().split('\n')).toEqual([
    '200',
    ...['TEST 1', 'TEST 1', 'CUSTOMER.KYC_APPROVED 1', 'INTERNAL_ACCOUNT.BALANCE_UPDATED 1'],
    '2',
    ...['PENDING', 'ECONNREFUSED'],
    ...['DELIVERED', 'INTERNAL_ACCOUNT.BALANCE_UPDATED 2'],
    '1',
    ...['ENABLED', '0', '0', 'ENABLED', '1'],
    `CUSTOMER.KYC_APPROVED${' INTERNAL_ACCOUNT.BALANCE_UPDATED'.repeat(3)}`,
  ])
})

test('the webhooks guide names every event type that has a webhook', async () => {
  const text = await readFile(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
  for (const { body } of Object.values(WEBHOOKS))
    for (const type of (body.properties.type as unknown as { enum: string[] }).enum)
      expect(text).toContain(`\`${type}\``)
})
