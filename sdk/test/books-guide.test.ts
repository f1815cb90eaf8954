import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)('the books guide runs exactly as written', async () => {
  const { stdout } = await runGuide('books.md')
  expect(stdout.trim().split('\n')).toEqual([
    '50000',
    'DEPOSIT 50000 50000',
    expect.stringMatching(/^PAYMENT_OUT -\d+ \d+$/),
    expect.stringMatching(/^FEE -\d+ \d+$/),
    // The header, the opening and closing balances, and three movements.
    '6',
    expect.stringMatching(/^COMPLETED \d+\.\d\d \d+\.\d\d 25\.00$/),
    '0',
    expect.stringMatching(/^fees USD \d+$/),
    'posted',
    'ENTRY TRANSACTION QUOTE',
  ])
})
