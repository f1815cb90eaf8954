import * as fs from 'node:fs'
import * as path from 'node:path'

const SCHEMA = 'server/src/storage/schema'

/**
 * Typical changes of a next release: a table that counts finished transfers, and a new column for customers.
 */
const MIGRATIONS = [
  {
    name: '9001-planted',
    step: 'add',
    sql: `
LOCK TABLE ledger_transfers IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE planted_ends (ended bigint NOT NULL);
INSERT INTO planted_ends SELECT count(*) FROM ledger_transfers WHERE state <> 'pending';
ALTER TABLE customers ADD COLUMN planted text DEFAULT 'planted';`,
  },
  {
    name: '9002-end-of-the-release-before',
    step: 'end',
    sql: 'ALTER TABLE customers ALTER COLUMN planted SET NOT NULL',
  },
]

/**
 * Strings that must occur exactly once.
 * @type {readonly { file: string, find: string, replace: string }[]}
 */
const PLANTED = [
  {
    file: `${SCHEMA}/migrate.ts`,
    find: '],\n  functions: FUNCTIONS,',
    replace: `].concat(${JSON.stringify(MIGRATIONS)}),\n  functions: FUNCTIONS,`,
  },
  {
    file: `${SCHEMA}/functions/functions.ts`,
    find: 'FUNCTIONS_VERSION = ',
    replace: 'FUNCTIONS_VERSION = 1 + ',
  },
  {
    file: `${SCHEMA}/functions/queue-ended-transfers.ts`,
    find: '  RETURN NULL;',
    replace:
      "  INSERT INTO planted_ends SELECT count(*) FROM changed WHERE state <> 'pending';\n  RETURN NULL;",
  },
]

/**
 * Turns the tree in a folder into a next release. Returns its version.
 * @param {string} folder
 */
export function plantNextRelease(folder) {
  for (const { file, find, replace } of PLANTED) {
    const text = fs.readFileSync(path.join(folder, file), 'utf8')
    if (text.split(find).length !== 2)
      throw new Error(`The place for a planted change was not found, or found more than once: ${file}`)
    fs.writeFileSync(
      path.join(folder, file),
      text.replace(find, () => replace),
    )
  }
  const manifest = path.join(folder, 'server/package.json')
  const { version, ...rest } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
  const [major, minor] = version.split('.').map(Number)
  const next = `${major}.${minor + 1}.0`
  fs.writeFileSync(manifest, JSON.stringify({ ...rest, version: next }))
  return next
}

/**
 * Queries that return rows only if something is wrong. Servers of the previous release must count too,
 * through the next release's function.
 */
export const PLANTED_RULES = {
  'counts of ended transfers that differ from the ledger': `
    SELECT FROM planted_ends HAVING sum(ended) <> (SELECT count(*) FROM ledger_transfers WHERE state <> 'pending')`,
  'columns that the last step has not changed': `
    SELECT FROM pg_attribute WHERE attrelid = 'customers'::regclass AND attname = 'planted' AND NOT attnotnull`,
}
