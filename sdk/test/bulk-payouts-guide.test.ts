import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to bulk payouts can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('bulk-payouts.md')
    expect(stdout.trim().split('\n')).toEqual([
      'READY',
      '1',
      'line 3, amount: INVALID_INPUT',
      'SENDING',
      'COMPLETED',
      'may-ada,may-grace',
    ])
  },
)
