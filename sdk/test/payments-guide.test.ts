import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to moving money can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('payments.md')
    expect(stdout.trim().split('\n')).toEqual([
      ...['50000', 'COMPLETED', '38000', 'PENDING', '40000'],
      ...['11669', '69', 'PROCESSING', '10000'],
      '8568',
      ...['EUR_ACCOUNT', 'PROCESSING', 'COMPLETED'],
      ...['PROCESSING', 'COMPLETED'],
      ...['EUR', 'USD', 'PROCESSING'],
      ...['ALLOW_LIST', 'sandbox.uma.test', 'ALL'],
      ...['PENDING', 'CLAIMED', '9999250', 'ACTIVE'],
      'COMPLETED',
      'CREDITED',
      'NO_MATCH',
      'CREDITED',
      'DEBIT CREDIT DEBIT DEBIT DEBIT DEBIT CREDIT CREDIT CREDIT',
      ...['34 EUR, 120 USD', '16'],
    ])
  },
)
