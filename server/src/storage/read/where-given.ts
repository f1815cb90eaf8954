import type { OperandValueExpressionOrList, ReferenceExpression, SelectQueryBuilder } from 'kysely'

/** The query with one more condition, where there is a value to compare the column with. */
export function whereGiven<DB, TB extends keyof DB, Row, Column extends ReferenceExpression<DB, TB>>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: Column,
  comparison: '=' | '<' | '<=' | '>' | '>=' | 'in',
  value: OperandValueExpressionOrList<DB, TB, Column> | undefined,
): SelectQueryBuilder<DB, TB, Row> {
  return value === undefined ? query : query.where(column, comparison, value)
}

/** The query with a condition of its own, where there is a value that it is made from. */
export function whenGiven<Query, Value>(
  query: Query,
  value: Value | undefined,
  narrow: (query: Query, value: Value) => Query,
): Query {
  return value === undefined ? query : narrow(query, value)
}

/** The same where one of several columns has to have the value. */
export function whereAnyGiven<DB, TB extends keyof DB, Row, Column extends ReferenceExpression<DB, TB>>(
  query: SelectQueryBuilder<DB, TB, Row>,
  columns: readonly Column[],
  value: OperandValueExpressionOrList<DB, TB, Column> | undefined,
): SelectQueryBuilder<DB, TB, Row> {
  return value === undefined
    ? query
    : query.where((eb) => eb.or(columns.map((column) => eb(column, '=', value))))
}
