import { DEFAULT_SCHEMA } from '../../base/settings/database-schema.ts'

/**
 * Settings of every connection, in addition to its schema.
 *
 * A plan cached while a table was small would keep scanning the whole table after it has grown, until the
 * next ANALYZE. So sequential scans are used only if no index fits. This makes plans look so expensive that
 * PostgreSQL would compile them first, so compilation is off.
 */
export const SESSION_SETTINGS = {
  TimeZone: 'UTC',
  default_transaction_isolation: 'read committed',
  enable_seqscan: 'off',
  jit: 'off',
} as const

/** The session settings and the schema as PostgreSQL startup parameters. */
export function buildSessionOptions(schema: string): string {
  return Object.entries({ ...SESSION_SETTINGS, search_path: schema })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ')
}

/** For the embedded database, which has just one schema. */
export const SESSION_OPTIONS = buildSessionOptions(DEFAULT_SCHEMA)

/**
 * For connections that run short lookups by key. With few keys, PostgreSQL would plan such a statement every
 * time, which takes longer than running it. A pooler may drop this setting; nothing depends on it.
 */
export const BRIEF_OPTIONS = '-c plan_cache_mode=force_generic_plan'

/**
 * The equivalent for a schema on a Citus node. With a generic plan, Citus would not run the commit on that
 * node, and `refuse_moved_feed` would reject it.
 */
export const NODE_OPTIONS = '-c plan_cache_mode=force_custom_plan'
