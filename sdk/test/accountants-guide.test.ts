import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide for accountants can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('books-for-accountants.md')
    expect(stdout.trim().split('\n')).toEqual([
      '50000',
      'PROCESSING',
      '11',
      'at,transferId,side,accountCode,accountName,accountType',
      expect.stringMatching(/^[4-9]$/),
      expect.stringMatching(/^\*Narration,\*AccountCode,\*Amount\r?$/),
      '3',
      '3',
      '3',
    ])
  },
)
