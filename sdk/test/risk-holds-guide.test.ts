import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to holds and limits can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('risk-holds.md')
    expect(stdout.trim().split('\n')).toEqual([
      '2',
      '0',
      '20000',
      'Pulled money in USD by ACH is held for 2 banking days.',
      'LIFTED',
      '20000',
      'APPLIED',
      'RETURNED',
      '20000',
      '2',
      'PENDING',
      'PENDING',
      'The limit for payments to one payee in USD is 2 payments per day.',
    ])
  },
)
