import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely'
import type { Database } from '../engine/port.ts'
import type { Tables } from '../rows/tables.ts'
import { IdCompiler } from './id-compiler.ts'

/** Typed reads. The type has no methods for writing, because only the committer writes. */
export type Read = Pick<Kysely<Tables>, 'selectFrom' | 'fn' | 'with'>

export function createRead(db: Database): Read {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PortDriver(db),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new IdCompiler(),
    },
  })
}

/**
 * Counts at most `max` rows of a query, in the order of this indexed column. Reads only the index and, in a
 * long table, at most the pages with the latest rows.
 */
export async function countUpTo<TB extends keyof Tables, Row>(
  read: Read,
  rows: SelectQueryBuilder<Tables, TB, Row>,
  column: RawBuilder<unknown>,
  order: 'asc' | 'desc',
  max: number,
): Promise<number> {
  const ordered = rows.clearSelect().orderBy(column, order)
  const { count } = await read
    .selectFrom(ordered.select(sql.lit(1).as('one')).limit(max).as('some'))
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * The first rows of several queries combined, ordered by these columns. Each query is limited before they are
 * combined.
 */
export async function selectFirstRows<TB extends keyof Tables, Row>(
  read: Read,
  table: TB & string,
  queries: readonly SelectQueryBuilder<Tables, TB, Row>[],
  columns: readonly RawBuilder<unknown>[],
  order: 'asc' | 'desc',
  max: number,
): Promise<Row[]> {
  const orderAndLimit = (query: SelectQueryBuilder<Tables, TB, Row>) =>
    columns.reduce((ordered, column) => ordered.orderBy(column, order), query).limit(max)
  const [firstQuery, ...others] = queries.map(orderAndLimit)
  if (!firstQuery) return []
  if (others.length === 0) return firstQuery.execute()
  const union = sql`(${sql.join([firstQuery, ...others], sql` UNION ALL `)})`
  const all = read.selectFrom(union.as(table)).selectAll() as unknown
  return orderAndLimit(all as typeof firstQuery).execute()
}

/** Runs Kysely's statements on a `Database`, each on its own. */
class PortDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(db: Database) {
    this.#connection = {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        return { rows: (await db.query<R>(query.sql, query.parameters)).rows }
      },
      streamQuery() {
        throw new Error('Streaming rows is not supported')
      },
    }
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }
  async beginTransaction(): Promise<void> {
    throw new Error('The database port does not support transactions')
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
