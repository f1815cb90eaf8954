import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BASELINE, BASELINE_NAME } from '../../../src/storage/schema/baseline/baseline.ts'

/** The hash of the baseline when it got its name. */
const RECORDED = { name: '0001-baseline-23', hash: '5ba74881f785eaf36e00ae0573986f1f' }

test('the name of the baseline changes with its tables, so that older databases are refused', () => {
  const tables = BASELINE.replace(/--.*/g, '').replace(/\s+/g, ' ')
  const current = {
    name: BASELINE_NAME,
    hash: createHash('sha256').update(tables).digest('hex').slice(0, 32),
  }
  const advice =
    BASELINE_NAME === RECORDED.name
      ? 'The tables of the baseline have changed. Add a migration instead; before the first release, rename BASELINE_NAME in baseline.ts.'
      : `Record it in baseline.test.ts: { name: '${current.name}', hash: '${current.hash}' }.`
  expect(current, advice).toEqual(RECORDED)
})

test('every table can be replicated, so that a cell moves with all of its rows', () => {
  expect(BASELINE).not.toMatch(/\bUNLOGGED\b/i)
})
