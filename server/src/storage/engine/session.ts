import { DEFAULT_SCHEMA } from '../../base/settings/database-schema.ts'

/**
 * Settings of every connection, next to its schema.
 *
 * A plan cached while a table was small would keep reading the whole table after it has grown, until the next
 * ANALYZE, so sequential scans are used only if no index serves. They make plans look so expensive that
 * PostgreSQL would compile them first, so compilation is off.
 */
export const SESSION_SETTINGS = {
  TimeZone: 'UTC',
  default_transaction_isolation: 'read committed',
  enable_seqscan: 'off',
  jit: 'off',
} as const

/** The settings of a connection to this schema, in PostgreSQL's startup-parameter form. */
export function sessionOptions(schema: string): string {
  return Object.entries({ ...SESSION_SETTINGS, search_path: schema })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ')
}

/** For the embedded database, which has one schema. */
export const SESSION_OPTIONS = sessionOptions(DEFAULT_SCHEMA)

/**
 * For connections of short statements, which find rows by their keys. With few keys PostgreSQL would plan
 * such a statement each time, which takes longer than running it. A pooler may drop this setting: nothing
 * depends on it.
 */
export const BRIEF_OPTIONS = '-c plan_cache_mode=force_generic_plan'

/**
 * For the same connections to a schema on a node of Citus: with a generic plan, Citus would not run a commit on that node.
 * `refuse_moved_feed` refuses it then.
 */
export const NODE_OPTIONS = '-c plan_cache_mode=force_custom_plan'
