import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to the verification of bank accounts can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('account-verification.md')
    expect(stdout.trim().split('\n')).toEqual(['PENDING', 'VERIFIED', 'VERIFIED'])
  },
)
