import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to client money can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('client-money.md')
    expect(stdout.trim().split('\n')).toEqual([
      '50000',
      '2000',
      'USD 50000 52000 2000',
      'PLATFORM_MONEY 2000',
      'true',
      'true',
      'signed COUNTERSIGN_CLIENT_MONEY_REPORT_1',
    ])
  },
)
