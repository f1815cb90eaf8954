import type { OperandValueExpressionOrList, ReferenceExpression, SelectQueryBuilder } from 'kysely'

/** Adds a condition on the column if there is a value to compare it with. */
export function whereGiven<DB, TB extends keyof DB, Row, Column extends ReferenceExpression<DB, TB>>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: Column,
  comparison: '=' | '<' | '<=' | '>' | '>=' | 'in',
  value: OperandValueExpressionOrList<DB, TB, Column> | undefined,
): SelectQueryBuilder<DB, TB, Row> {
  return value === undefined ? query : query.where(column, comparison, value)
}

/** Adds a custom condition if there is a value to build it from. */
export function whenGiven<Query, Value>(
  query: Query,
  value: Value | undefined,
  narrow: (query: Query, value: Value) => Query,
): Query {
  return value === undefined ? query : narrow(query, value)
}

/** Adds the condition that one of several columns equals the value, if there is one. */
export function whereAnyGiven<DB, TB extends keyof DB, Row, Column extends ReferenceExpression<DB, TB>>(
  query: SelectQueryBuilder<DB, TB, Row>,
  columns: readonly Column[],
  value: OperandValueExpressionOrList<DB, TB, Column> | undefined,
): SelectQueryBuilder<DB, TB, Row> {
  return value === undefined
    ? query
    : query.where((eb) => eb.or(columns.map((column) => eb(column, '=', value))))
}
