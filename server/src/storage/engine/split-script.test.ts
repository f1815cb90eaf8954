import { expect, test } from 'vitest'
import { SCHEMA } from '../schema/migrate.ts'
import { splitScript } from './split-script.ts'

test('an SQL script is split at the ends of statements, not within strings, names, comments or function bodies', () => {
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

test('every function and trigger of the schema is a single SQL statement', () => {
  const statements = SCHEMA.functions.flatMap(({ sql }) => splitScript(sql))
  expect(
    statements.filter((sql) => !/^CREATE (OR REPLACE FUNCTION|(CONSTRAINT )?TRIGGER) /.test(sql)),
  ).toEqual([])
  expect(statements.filter((sql) => sql.startsWith('CREATE OR REPLACE FUNCTION'))).toHaveLength(
    SCHEMA.functions.length,
  )
})
