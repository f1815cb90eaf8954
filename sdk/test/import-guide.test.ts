import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to files of customers can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('customers-import.md')
    expect(stdout.trim().split('\n')).toEqual([
      'COMPLETED',
      '2',
      'eve-1 INVALID_INPUT email must be an e-mail address',
    ])
  },
)
