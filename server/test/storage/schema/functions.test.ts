import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  FUNCTIONS,
  FUNCTIONS_VERSION,
  hashFunctions,
  sqlFunction,
} from '../../../src/storage/schema/functions/functions.ts'

/** The hash of the functions when their version was last raised. */
const RECORDED = { version: 18, hash: '26117e267b2813db27f4ae3e934512ad' }

test('the version of the functions is raised with every change to their text', () => {
  const found = { version: FUNCTIONS_VERSION, hash: hashFunctions(FUNCTIONS) }
  const isRaised = FUNCTIONS_VERSION > RECORDED.version
  const advice = isRaised
    ? `Record it in functions.test.ts: { version: ${found.version}, hash: '${found.hash}' }.`
    : `The text of the functions has changed. Raise FUNCTIONS_VERSION in storage/schema/functions/functions.ts to ${RECORDED.version + 1}, then run this test again.`
  expect(found, advice).toEqual(RECORDED)
})

test('each function has a file of its own, named after it', () => {
  const files = readdirSync(new URL('../../../src/storage/schema/functions', import.meta.url))
  const names = FUNCTIONS.map(({ name }) => `${name.replaceAll('_', '-')}.ts`)
  expect(files.filter((file) => file !== 'functions.ts').sort()).toEqual(names.sort())
  for (const { name, sql } of FUNCTIONS)
    expect(sql.match(/\bFUNCTION \w+\(.*\) RETURNS|\bFUNCTION \w+\(\s*$/gm), name).toHaveLength(1)
})

test('a signature ignores comments and spaces, and changes with an argument', () => {
  const signatureOf = (header: string) =>
    sqlFunction(`CREATE OR REPLACE FUNCTION f${header} LANGUAGE sql AS $$ SELECT 1 $$;`).signature
  expect(signatureOf('(\n  -- How many.\n  a integer,\n  b text\n) RETURNS integer')).toBe(
    signatureOf('( a integer, b text ) RETURNS integer'),
  )
  expect(signatureOf('(a bigint) RETURNS integer')).not.toBe(signatureOf('(a integer) RETURNS integer'))
  expect(signatureOf('(a integer) RETURNS bigint')).not.toBe(signatureOf('(a integer) RETURNS integer'))
})

/** Triggers that read what earlier commits have written to the ledger. */
const OF_EARLIER_COMMITS = ['fx_in_flight', 'agent_released']

test('triggers of other tables do not read what their own commit writes to the ledger later', () => {
  const sqlOf = new Map(FUNCTIONS.map(({ name, sql }) => [name, sql]))
  const readsLedger = (sql: string): boolean =>
    /(?:FROM|JOIN) ledger_(?:transfers|accounts)/.test(sql) ||
    [...sql.matchAll(/\b(\w+)\(/g)].some(([, name = '']) => {
      const called = sqlOf.get(name)
      return called !== undefined && called !== sql && readsLedger(called)
    })
  const found = FUNCTIONS.filter(
    ({ sql }) => /CREATE TRIGGER \w+ \w+ [\w ,]+ ON (?!ledger_)/.test(sql) && readsLedger(sql),
  )
  expect(found.map(({ name }) => name).sort()).toEqual(OF_EARLIER_COMMITS.toSorted())
})
