import type { OperandValueExpressionOrList, ReferenceExpression, SelectQueryBuilder } from 'kysely'

/** Adds a condition on a column if a value is given. */
export function whereIfDefined<DB, TB extends keyof DB, Row, Column extends ReferenceExpression<DB, TB>>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: Column,
  comparison: '=' | '<' | '<=' | '>' | '>=' | 'in',
  value: OperandValueExpressionOrList<DB, TB, Column> | undefined,
): SelectQueryBuilder<DB, TB, Row> {
  return value === undefined ? query : query.where(column, comparison, value)
}

/** Adds a custom condition if a value is given. */
export function whenGiven<Query, Value>(
  query: Query,
  value: Value | undefined,
  narrow: (query: Query, value: Value) => Query,
): Query {
  return value === undefined ? query : narrow(query, value)
}

/** Adds a condition that any of several columns equals the value, if a value is given. */
export function whereAnyGiven<DB, TB extends keyof DB, Row, Column extends ReferenceExpression<DB, TB>>(
  query: SelectQueryBuilder<DB, TB, Row>,
  columns: readonly Column[],
  value: OperandValueExpressionOrList<DB, TB, Column> | undefined,
): SelectQueryBuilder<DB, TB, Row> {
  return value === undefined
    ? query
    : query.where((eb) => eb.or(columns.map((column) => eb(column, '=', value))))
}
