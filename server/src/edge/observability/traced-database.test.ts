import { expect, test } from 'vitest'
import { parseStatement } from './traced-database.ts'

test.each([
  ['select * from "quotes" where "id" = $1', 'SELECT', 'quotes'],
  ['SELECT * FROM platforms WHERE id = ANY ($1::uuid[])', 'SELECT', 'platforms'],
  ['\nUPDATE jobs SET attempts = attempts + 1', 'UPDATE', 'jobs'],
  ['INSERT INTO messages (id) VALUES ($1)', 'INSERT', 'messages'],
  [
    'SELECT found.* FROM unnest($1::uuid[]) AS asked (id) CROSS JOIN LATERAL (SELECT * FROM api_tokens t OFFSET 0) AS found',
    'SELECT',
    'api_tokens',
  ],
  ['WITH due AS (SELECT id FROM platforms) SELECT * FROM due', 'WITH', 'platforms'],
  ['SELECT pg_current_wal_lsn()', 'SELECT', undefined],
])('the span of an SQL statement is named after its operation and table: %s', (sql, operation, table) => {
  expect(parseStatement(sql)).toEqual({ operation, table })
})
