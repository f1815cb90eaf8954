import { expect, test } from 'vitest'
import { compareCounts, measureCounts, readCounts } from '../src/counts.ts'

const OPTIONS = { database: 'postgres', seconds: 1, rounds: 1, isShort: true } as const

/** Adds a useless row with every ledger transfer. */
const EXTRA_ROW = `
CREATE TABLE extra (id uuid PRIMARY KEY);
CREATE FUNCTION add_extra() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO extra VALUES (NEW.id); RETURN NULL; END $$;
CREATE TRIGGER extra AFTER INSERT ON ledger_transfers FOR EACH ROW EXECUTE FUNCTION add_extra();`

const ONE = { inserts: 1, updates: 0, deletes: 0, indexEntries: 2, logBytes: 500 }
const STORED = { transfer: { total: { ...ONE, statements: 4, commits: 1 }, tables: { events: ONE } } }

test('a write count that rose or fell is reported with its table, and noise is not reported', {
  tags: 'smoke',
}, () => {
  const { total, tables } = STORED.transfer
  const buildMeasured = (change: Partial<typeof ONE>, statements = 4) => ({
    transfer: {
      total: { ...total, ...change, statements },
      tables: { ...tables, events: { ...ONE, ...change } },
    },
  })
  expect(compareCounts(buildMeasured({}), STORED)).toEqual([])
  expect(compareCounts(buildMeasured({ logBytes: 505, inserts: 1.05 }), STORED)).toEqual([])
  expect(compareCounts(buildMeasured({ indexEntries: 3 }), STORED)).toEqual([
    expect.stringMatching(/^transfer: 3 indexEntries instead of 2: a payment may not cost more\. /),
    expect.stringMatching(/^transfer, events: 3 indexEntries instead of 2: /),
  ])
  expect(compareCounts(buildMeasured({}, 3), STORED)).toEqual([
    expect.stringMatching(/^transfer: 3 statements instead of 4: the lower number can be kept\. /),
  ])
  expect(compareCounts({ other: STORED.transfer }, STORED)).toEqual([
    expect.stringMatching(/^other: not in ratchets\.json\. /),
  ])
})

test('a transfer, a signed payment, a card authorization and a payment of an agent write no more than ratchets.json says', async ({
  skip,
}) => {
  const counts = await measureCounts(OPTIONS)
  if (!counts) return skip('this PostgreSQL has no pg_walinspect, which came with version 15')
  expect(compareCounts(counts, readCounts())).toEqual([])
})

test('an additional row per transfer is detected and named', async ({ skip }) => {
  const counts = await measureCounts(OPTIONS, { plant: EXTRA_ROW, kinds: ['transfer'] })
  if (!counts) return skip('this PostgreSQL has no pg_walinspect, which came with version 15')
  const problems = compareCounts(counts, readCounts())
  expect(problems).toContainEqual(expect.stringMatching(/^transfer, extra: 1 inserts instead of 0: /))
  expect(problems).toContainEqual(expect.stringMatching(/^transfer: \S+ inserts instead of /))
})
