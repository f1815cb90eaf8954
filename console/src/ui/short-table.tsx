import { Link } from '@tanstack/react-router'
import type { Column } from './column.ts'
import { useFittingColumns, useIsPhone } from './fitting-columns.ts'

/**
 * A table of a few rows as a part of a page: a `Panel` that is `isBare`. Scrolls in its own box if it is too
 * wide.
 */
export function ShortTable<Row>(props: {
  readonly name: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  readonly linkOf?: (row: Row) => string
  /** A phone shows all columns: the cells of a row two by two, each with its name. For rows that are long and few. */
  readonly isFolding?: boolean
  /** The message for an empty table. */
  readonly empty: string
}) {
  const { name, rows, idOf, linkOf, isFolding = false, empty } = props
  const isFolded = useIsPhone() && isFolding
  const fitting = useFittingColumns(props.columns)
  const columns = isFolded ? props.columns : fitting
  if (rows.length === 0) return <p className="none soft">{empty}</p>
  const style = isFolded ? {} : { gridTemplateColumns: columns.map(({ width }) => width).join(' ') }
  const cells = (row: Row) =>
    columns.map(({ id, header, isRight, cell }) => (
      <span key={id} role="cell" className={isRight ? 'cell right' : 'cell'}>
        {isFolded && (
          <span className="name" aria-hidden="true">
            {header}
          </span>
        )}
        {cell(row)}
      </span>
    ))
  return (
    <div
      className={isFolded ? 'table bare folded' : 'table bare'}
      role="table"
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <div className="grid" role="rowgroup">
        <div className="row head" role="row" style={style}>
          {columns.map(({ id, header, isRight }) => (
            <span key={id} role="columnheader" className={isRight ? 'cell right' : 'cell'}>
              {header}
            </span>
          ))}
        </div>
        {rows.map((row) =>
          linkOf ? (
            <Link key={idOf(row)} to={linkOf(row)} className="row" role="row" style={style}>
              {cells(row)}
            </Link>
          ) : (
            <div key={idOf(row)} className="row" role="row" style={style}>
              {cells(row)}
            </div>
          ),
        )}
      </div>
    </div>
  )
}
