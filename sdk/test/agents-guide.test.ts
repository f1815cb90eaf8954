import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)('the agents guide runs exactly as written', async () => {
  const { stdout, stderr } = await runGuide('agents.md')
  expect(stdout.trim().split('\n')).toEqual([
    'true',
    ...['50000', '1', '20000'],
    ...['ALLOWED', 'APPROVAL_REQUIRED', 'DENIED'],
    ...['APPROVED', 'COMPLETED', '2500'],
    ...['PENDING_APPROVAL', '10000', '1', 'APPROVED', 'COMPLETED'],
    ...['REJECTED', 'Not this month', '10000'],
    ...['VELOCITY_LIMIT_EXCEEDED', 'perTransactionLimit'],
    ...['10000', 'dailyLimit', '3000', '10000'],
    ...['PENDING_APPROVAL', 'APPROVED', 'COMPLETED'],
    ...['paused', '4'],
    'UNAUTHORIZED',
  ])
  expect(stderr).toContain('Pay 25.226131 USDB')
})
