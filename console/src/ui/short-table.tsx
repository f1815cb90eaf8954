import { useRef } from 'react'
import type { Column } from './column.ts'
import { useFittingColumns } from './fitting-columns.ts'
import { onListKey } from './list-keys.ts'
import { HeadRow, TableRow, templateOf } from './table-parts.tsx'

interface ShortTableProps<Row> {
  readonly name: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  readonly linkOf?: (row: Row) => string
  /** The message for an empty table. */
  readonly empty: string
}

/** A table of a few rows as a part of a page: a `Panel` that is `isBare`. */
export function ShortTable<Row>(props: ShortTableProps<Row>) {
  return props.rows.length === 0 ? <p className="none soft">{props.empty}</p> : <Rows {...props} />
}

function Rows<Row>({ name, columns, rows, idOf, linkOf }: Omit<ShortTableProps<Row>, 'empty'>) {
  const box = useRef<HTMLDivElement>(null)
  const fit = useFittingColumns(columns, box)
  const template = templateOf(fit, false)
  return (
    <div
      ref={box}
      className={fit.isCards ? 'table bare folded' : 'table bare'}
      role="table"
      aria-label={name}
      onKeyDown={onListKey}
    >
      <div role="rowgroup">
        <HeadRow fit={fit} template={template} />
        {rows.map((row) => (
          <TableRow key={idOf(row)} row={row} fit={fit} style={template} to={linkOf?.(row)} />
        ))}
      </div>
    </div>
  )
}
