import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to scheduled payments can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('scheduled-payments.md')
    expect(stdout.trim().split('\n')).toEqual(['5', '1', 'PAUSED', 'ACTIVE', '3 SKIPPED,2 SENT,1 SKIPPED'])
  },
)
