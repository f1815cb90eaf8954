import { useRef } from 'react'
import type { Column } from './column.ts'
import { useFittingColumns } from './fitting-columns.ts'
import { onListKey } from './list-keys.ts'
import { getRowTemplate, HeadRow, TableRow } from './table-parts.tsx'

interface ShortTableProps<Row> {
  readonly name: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly getId: (row: Row) => string
  readonly getLink?: (row: Row) => string
  /** The message shown if there are no rows. */
  readonly empty: string
}

/** A small table inside a page, used in a `Panel` with `isBare`. */
export function ShortTable<Row>(props: ShortTableProps<Row>) {
  return props.rows.length === 0 ? <p className="none soft">{props.empty}</p> : <Rows {...props} />
}

function Rows<Row>({ name, columns, rows, getId, getLink }: Omit<ShortTableProps<Row>, 'empty'>) {
  const box = useRef<HTMLDivElement>(null)
  const fit = useFittingColumns(columns, box)
  const template = getRowTemplate(fit, false)
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
          <TableRow key={getId(row)} row={row} fit={fit} style={template} to={getLink?.(row)} />
        ))}
      </div>
    </div>
  )
}
