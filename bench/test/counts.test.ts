import { expect, test } from 'vitest'
import { compareCounts, measureCounts, storedCounts } from '../src/counts.ts'

const OPTIONS = { database: 'postgres', seconds: 1, rounds: 1, isShort: true } as const

/** A row that nobody needs with every transfer of the ledger. */
const EXTRA_ROW = `
CREATE TABLE extra (id uuid PRIMARY KEY);
CREATE FUNCTION add_extra() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO extra VALUES (NEW.id); RETURN NULL; END $$;
CREATE TRIGGER extra AFTER INSERT ON ledger_transfers FOR EACH ROW EXECUTE FUNCTION add_extra();`

test('a transfer, a signed payment, a card authorization and a payment of an agent write no more than ratchets.json says', async ({
  skip,
}) => {
  const counts = await measureCounts(OPTIONS)
  if (!counts) return skip('this PostgreSQL has no pg_walinspect, which came with version 15')
  expect(compareCounts(counts, storedCounts())).toEqual([])
})

test('one more row for each transfer is found and named', async ({ skip }) => {
  const counts = await measureCounts(OPTIONS, { plant: EXTRA_ROW, kinds: ['transfer'] })
  if (!counts) return skip('this PostgreSQL has no pg_walinspect, which came with version 15')
  const problems = compareCounts(counts, storedCounts())
  expect(problems).toContainEqual(expect.stringMatching(/^transfer, extra: 1 inserts instead of 0: /))
  expect(problems).toContainEqual(expect.stringMatching(/^transfer: \S+ inserts instead of /))
})
