import { ConfigError } from './config-error.ts'

/** The schema if the settings do not name one. */
export const DEFAULT_SCHEMA = 'public'

/**
 * In lower case, so that statements need not quote it. The name of a connection includes the schema, and
 * PostgreSQL truncates it after 63 bytes.
 */
const NAME = /^[a-z_][a-z0-9_]{0,39}$/
const RESERVED = /^pg_|^information_schema$/

/** Reads DATABASE_SCHEMA. Throws ConfigError. */
export function readDatabaseSchema({
  DATABASE_SCHEMA: name = '',
}: Readonly<Record<string, string | undefined>>): { readonly databaseSchema: string } {
  if (name === '') return { databaseSchema: DEFAULT_SCHEMA }
  if (!NAME.test(name) || RESERVED.test(name))
    throw new ConfigError(
      'DATABASE_SCHEMA must be up to 40 lower-case letters, digits and underscores, must not begin with a digit or pg_, and must not be information_schema.',
    )
  return { databaseSchema: name }
}
