import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)('the screening guide runs exactly as written', async () => {
  const { stdout } = await runGuide('screening.md')
  expect(stdout.trim().split('\n')).toEqual([
    '50000000',
    'PENDING',
    'sandbox',
    'RELEASED',
    'COMPLETED',
    'SCREENING_HIT',
    'REJECTED',
    'SUSPENSE',
  ])
})
