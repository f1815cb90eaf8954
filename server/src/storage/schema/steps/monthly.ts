/** A table that is divided by the time in the first 48 bits of its ids. */
interface Monthly {
  /** The id whose time counts. */
  readonly key: string
  readonly primaryKey: string
  /** Beside the primary key, by name. */
  readonly indexes: Readonly<Record<string, string>>
  /** Columns that are unique within a part: a unique key of the whole table would have to contain the id. */
  readonly numbered?: string
  /** The column that refers to a platform, where that is checked. */
  readonly owner?: string
}

export type MonthlyTable = 'events' | 'webhook_deliveries' | 'webhook_attempts' | 'audit_events'

/** The tables that are divided by month: rows are added, and hardly any that is a month old is read. */
export const MONTHLY: Readonly<Record<MonthlyTable, Monthly>> = {
  events: {
    key: 'id',
    primaryKey: 'id',
    indexes: { events_feed: '(platform_id, committed_in, position)' },
    numbered: 'object_id, sequence',
  },
  webhook_deliveries: {
    key: 'id',
    primaryKey: 'id',
    indexes: { webhook_deliveries_state: '(platform_id, state, ended_at)' },
    owner: 'platform_id',
  },
  webhook_attempts: {
    key: 'event_id',
    primaryKey: 'event_id, attempt',
    indexes: {},
    owner: 'platform_id',
  },
  audit_events: {
    key: 'id',
    primaryKey: 'id',
    indexes: {
      audit_events_list: '(platform_id, created_at, id)',
      audit_events_object: '(object_id, created_at, id)',
      audit_events_customer: '(customer_id, created_at, id)',
      audit_events_actor: "(actor_id, created_at, id) WHERE actor_type <> 'TOKEN'",
    },
    owner: 'platform_id',
  },
}

/** How the parts are called that are no month: what there was before the first, and what comes from a clock that is ahead. */
export const FIRST = '_first'
export const OTHER = '_other'
