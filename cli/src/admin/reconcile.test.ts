import { expect, test } from 'vitest'
import { formatReconciledDays } from './reconcile.ts'

const day = {
  rail: 'example-bank',
  date: '2026-03-01',
  currency: 'EUR',
  status: 'BALANCED',
  closingBalance: '497400',
  ledgerBalance: '497400',
  difference: '0',
  differenceCount: 0,
  differences: [],
}

test('the reconciliation table has a line for each day, followed by the differences', () => {
  const differences = [
    { reason: 'NOT_IN_STATEMENT', amount: '-2500', ageDays: 1, about: 'Transaction:1' },
    { reason: 'WRONG_SUM', amount: '5', ageDays: 0 },
  ]
  const waiting = {
    ...day,
    currency: 'USD',
    status: 'WAITING',
    closingBalance: null,
    ledgerBalance: null,
    difference: null,
  }
  const words = formatReconciledDays([
    { ...day, status: 'DIFFERENT', difference: '-2495', differenceCount: 3, differences },
    waiting,
  ])
  expect(words).toBe(
    [
      'RAIL          DATE        STATUS     STATEMENT    LEDGER       DIFFERENCE',
      'example-bank  2026-03-01  DIFFERENT  4974.00 EUR  4974.00 EUR  -24.95 EUR',
      'example-bank  2026-03-01  WAITING    -            -            -',
      '',
      'example-bank 2026-03-01 EUR',
      '  NOT_IN_STATEMENT  -25.00 EUR  1 day   Transaction:1',
      '  WRONG_SUM         0.05 EUR    0 days',
      '  and 1 more: GET /reconciliations/{reconciliationId}',
      '',
    ].join('\n'),
  )
})

test('a reconciliation without rails prints a line that says so', () => {
  expect(formatReconciledDays([])).toBe('No rail has moved money yet.\n')
})
