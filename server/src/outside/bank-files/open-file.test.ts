import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { expect, test } from 'vitest'
import { isSameDayAmount, isSameDayFile } from './open-file.ts'

const entryUntil = (sameDayUntil?: string): BankFilesRailValue => ({
  ...{ kind: 'bank-files', name: 'bank', serves: [] },
  place: { type: 'folder', path: '/bank', outbox: 'o', inbox: 'i', done: 'd', refused: 'r' },
  format: {
    ...{ type: 'ACH', destination: '021000021', destinationName: 'BANK', origin: '1', originName: 'ACME' },
    ...{ companyName: 'ACME', companyId: '1', originatingBank: '02100002', description: 'PAYOUT' },
    ...{ accountNumber: '1', routingNumber: '021000021' },
    ...(sameDayUntil === undefined ? {} : { sameDayUntil }),
  },
})

test('ACH payments above the same-day limit get separate files while others can be same-day', () => {
  expect([100_000_000n, 100_000_001n].map(isSameDayAmount)).toEqual([true, false])
  const morning = '2026-03-03T10:00'
  const check = (made_on: string, executed_on: string, until?: string) =>
    isSameDayFile(entryUntil(until), { made_on, executed_on })
  expect(check(morning, '2026-03-03', '14:45')).toBe(true)
  expect(check(morning, '2026-03-04', '14:45')).toBe(false)
  expect(check('2026-03-03T15:00', '2026-03-04', '14:45')).toBeUndefined()
  expect(check(morning, '2026-03-04')).toBeUndefined()
})
