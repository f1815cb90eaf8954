import { ConfigError } from './config-error.ts'

/** The schema of a server whose settings name none. */
export const DEFAULT_SCHEMA = 'public'

/**
 * Lower case, so that no statement has to quote it. PostgreSQL cuts the name of a connection after 63 bytes, and that
 * name contains the schema.
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
      'DATABASE_SCHEMA takes up to 40 lower-case letters, digits and underscores, must not begin with a digit or pg_, and cannot be information_schema',
    )
  return { databaseSchema: name }
}
