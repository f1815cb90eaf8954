import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { readDatabaseSchema } from './database-schema.ts'

test('a server uses the schema public unless DATABASE_SCHEMA names another one', () => {
  expect(readConfig({}).databaseSchema).toBe('public')
  expect(readConfig({ DATABASE_SCHEMA: '' }).databaseSchema).toBe('public')
  expect(readConfig({ DATABASE_SCHEMA: 'cell_1' }).databaseSchema).toBe('cell_1')
  // An SQL keyword is allowed as a name.
  expect(readDatabaseSchema({ DATABASE_SCHEMA: 'user' }).databaseSchema).toBe('user')
})

test.each([
  'North',
  '1st',
  'a,public',
  'a"b',
  'a b',
  '$user',
  'pg_cell',
  'information_schema',
  'ä',
  'a'.repeat(41),
])('DATABASE_SCHEMA must not be %j', (name) => {
  expect(() => readConfig({ DATABASE_SCHEMA: name })).toThrow(/^DATABASE_SCHEMA must be /)
})
