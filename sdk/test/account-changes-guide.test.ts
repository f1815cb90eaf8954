import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to changed account details can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('account-changes.md')
    expect(stdout.trim().split('\n')).toEqual([
      'APPLIED',
      'EXTERNAL_ACCOUNT_UNDER_REVIEW',
      '123456789',
      '123456780',
      'APPLIED',
      '123456780',
      'PENDING',
    ])
  },
)
