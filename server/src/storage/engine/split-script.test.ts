import { expect, test } from 'vitest'
import { SCHEMA } from '../schema/migrate.ts'
import { splitScript } from './split-script.ts'

test('a script is split where its statements end, and not within a text, a name, a comment or the body of a function', () => {
  const script = `
-- The first; with a comment's apostrophe.
CREATE TABLE a (id integer DEFAULT 1, "odd;name" text DEFAULT 'it''s; here'); -- after it
CREATE FUNCTION f() RETURNS void AS $$ BEGIN; PERFORM $inner$ ; $inner$; END $$;
SELECT a - b
`
  expect(splitScript(script)).toEqual([
    `CREATE TABLE a (id integer DEFAULT 1, "odd;name" text DEFAULT 'it''s; here')`,
    'CREATE FUNCTION f() RETURNS void AS $$ BEGIN; PERFORM $inner$ ; $inner$; END $$',
    'SELECT a - b',
  ])
})

test('every function and trigger of the schema is one statement', () => {
  const statements = SCHEMA.functions.flatMap(({ sql }) => splitScript(sql))
  expect(
    statements.filter((one) => !/^CREATE (OR REPLACE FUNCTION|(CONSTRAINT )?TRIGGER) /.test(one)),
  ).toEqual([])
  expect(statements.filter((one) => one.startsWith('CREATE OR REPLACE FUNCTION'))).toHaveLength(
    SCHEMA.functions.length,
  )
})
