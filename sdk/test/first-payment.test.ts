import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to a first payment can be followed to its end, to the letter',
  { tags: 'smoke' },
  async () => {
    const { stdout, stderr } = await runGuide('first-payment.md')
    expect(stderr).toContain('Pay 25.226131 USDB')
    expect(stdout.trim().split('\n').slice(1)).toEqual(['100000000', '25226131', 'PROCESSING', 'COMPLETED'])
  },
)
