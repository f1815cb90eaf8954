/**
 * SQL that locks `number` until the end of the transaction, among the servers of one schema. PostgreSQL's
 * advisory locks would apply to the whole database. `schema` is an SQL expression.
 */
export function buildSchemaLock(number: number, schema = 'current_schema()'): string {
  return `pg_advisory_xact_lock(hashtextextended(${schema}, ${number}))`
}
