import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  "the guide to the operator's own money can be followed to its end, to the letter",
  async () => {
    const { stdout } = await runGuide('own-money.md')
    expect(stdout.trim().split('\n')).toEqual([
      'ACTIVE',
      'CREDITED',
      '100000',
      'COMPLETED',
      'REMOVED',
      'SENT 25000',
    ])
  },
)
