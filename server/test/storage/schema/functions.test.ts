import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  FUNCTIONS,
  FUNCTIONS_VERSION,
  hashFunctions,
  parseSqlFunction,
} from '../../../src/storage/schema/functions/functions.ts'

/** The hash of the functions when their version was last raised. */
const RECORDED = { version: 18, hash: '26117e267b2813db27f4ae3e934512ad' }

test('the version of the database functions is raised with every change to their text', () => {
  const current = { version: FUNCTIONS_VERSION, hash: hashFunctions(FUNCTIONS) }
  const isRaised = FUNCTIONS_VERSION > RECORDED.version
  const advice = isRaised
    ? `Record it in functions.test.ts: { version: ${current.version}, hash: '${current.hash}' }.`
    : `The text of the functions has changed. Raise FUNCTIONS_VERSION in storage/schema/functions/functions.ts to ${RECORDED.version + 1}, then run this test again.`
  expect(current, advice).toEqual(RECORDED)
})

test('each database function has its own file, named after it', () => {
  const files = readdirSync(new URL('../../../src/storage/schema/functions', import.meta.url))
  const names = FUNCTIONS.map(({ name }) => `${name.replaceAll('_', '-')}.ts`)
  expect(files.filter((file) => file !== 'functions.ts').sort()).toEqual(names.sort())
  for (const { name, sql } of FUNCTIONS)
    expect(sql.match(/\bFUNCTION \w+\(.*\) RETURNS|\bFUNCTION \w+\(\s*$/gm), name).toHaveLength(1)
})

test('the signature of a database function ignores comments and spaces, and changes with an argument', () => {
  const readSignature = (header: string) =>
    parseSqlFunction(`CREATE OR REPLACE FUNCTION f${header} LANGUAGE sql AS $$ SELECT 1 $$;`).signature
  expect(readSignature('(\n  -- How many.\n  a integer,\n  b text\n) RETURNS integer')).toBe(
    readSignature('( a integer, b text ) RETURNS integer'),
  )
  expect(readSignature('(a bigint) RETURNS integer')).not.toBe(readSignature('(a integer) RETURNS integer'))
  expect(readSignature('(a integer) RETURNS bigint')).not.toBe(readSignature('(a integer) RETURNS integer'))
})

/** Triggers that read what earlier commits have written to the ledger. */
const READS_EARLIER_COMMITS = ['fx_in_flight', 'agent_released']

test('triggers of other tables do not read what their own commit writes to the ledger later', () => {
  const sqlByName = new Map(FUNCTIONS.map(({ name, sql }) => [name, sql]))
  const readsLedger = (sql: string): boolean =>
    /(?:FROM|JOIN) ledger_(?:transfers|accounts)/.test(sql) ||
    [...sql.matchAll(/\b(\w+)\(/g)].some(([, name = '']) => {
      const called = sqlByName.get(name)
      return called !== undefined && called !== sql && readsLedger(called)
    })
  const readers = FUNCTIONS.filter(
    ({ sql }) => /CREATE TRIGGER \w+ \w+ [\w ,]+ ON (?!ledger_)/.test(sql) && readsLedger(sql),
  )
  expect(readers.map(({ name }) => name).sort()).toEqual(READS_EARLIER_COMMITS.toSorted())
})
