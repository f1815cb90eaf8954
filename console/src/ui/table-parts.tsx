import { Link } from '@tanstack/react-router'
import type { CSSProperties, ReactNode } from 'react'
import type { Fit } from './fitting-columns.ts'
import { toLinkTarget } from './target.ts'

/** The CSS grid of a row: cells side by side, or arranged as a card. */
export function getRowTemplate<Row>({ columns, isCards }: Fit<Row>, hasChecks: boolean): CSSProperties {
  if (isCards) return {}
  const widths = columns.map(({ width }) => width)
  return { gridTemplateColumns: [...(hasChecks ? ['1.5rem'] : []), ...widths].join(' ') }
}

/**
 * The column headings. In the card layout each cell repeats its heading, so this row is only for screen
 * readers.
 */
export function HeadRow<Row>(props: {
  readonly fit: Fit<Row>
  readonly template: CSSProperties
  /** The checkbox that selects all rows. */
  readonly check?: ReactNode
}) {
  const { fit, template, check } = props
  return (
    <div className="row head" role="row" style={template}>
      {check !== undefined && (
        <span role="columnheader" className="cell check">
          {check}
        </span>
      )}
      {fit.columns.map(({ id, header, isRightAligned }) => (
        <span key={id} role="columnheader" className={isRightAligned ? 'cell right' : 'cell'}>
          {header}
        </span>
      ))}
    </div>
  )
}

export interface TableRowProps<Row> {
  readonly row: Row
  readonly fit: Fit<Row>
  readonly style: CSSProperties
  /** The page to which the row links. */
  readonly to: string | undefined
  /** The row's position in the whole table. The header is the first row. */
  readonly index?: number
}

/** A table row. If the row has a page, the row is a link, so that it can be opened in a new tab or shared. */
export function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, fit, style, to, index } = props
  const shared = { className: 'row', style, role: 'row', 'aria-rowindex': index } as const
  const cells = <Cells fit={fit} row={row} />
  return to === undefined ? (
    <div {...shared}>{cells}</div>
  ) : (
    <Link {...toLinkTarget(to)} {...shared}>
      {cells}
    </Link>
  )
}

/** A row's cells. With `to`, the first one is a link. */
export function Cells<Row>(props: {
  readonly fit: Fit<Row>
  readonly row: Row
  readonly to?: string | undefined
}) {
  const { fit, row, to } = props
  return fit.columns.map(({ id, header, isRightAligned, cell }, index) => (
    <span key={id} role="cell" className={isRightAligned ? 'cell right' : 'cell'}>
      {fit.isCards && (
        <span className="name" aria-hidden="true">
          {header}
        </span>
      )}
      {index === 0 && to !== undefined ? <Link {...toLinkTarget(to)}>{cell(row)}</Link> : cell(row)}
    </span>
  ))
}
