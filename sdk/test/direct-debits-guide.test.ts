import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to direct debits can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('direct-debits.md')
    expect(stdout.trim().split('\n')).toEqual([
      'ACTIVE',
      'DE89370400440532013000',
      'COMPLETED',
      'CANCELED',
      'Revoked by letter',
    ])
  },
)
