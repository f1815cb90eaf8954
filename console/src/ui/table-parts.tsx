import { Checkbox } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { CSSProperties, MouseEvent, ReactNode } from 'react'
import type { Fit } from './fitting-columns.ts'
import { targetOf } from './target.ts'

/** The ids of the selected rows. */
export interface Selection<Row> {
  readonly ids: ReadonlySet<string>
  readonly change: (ids: ReadonlySet<string>) => void
  /** Names the checkbox of a row: `Select 45.00 USD to Ada Lovelace`. */
  readonly labelOf: (row: Row) => string
}

/** The CSS grid of a row: cells next to each other, or as a card. */
export function templateOf<Row>({ columns, isCards }: Fit<Row>, hasChecks: boolean): CSSProperties {
  if (isCards) return {}
  const widths = columns.map(({ width }) => width)
  return { gridTemplateColumns: [...(hasChecks ? ['1.5rem'] : []), ...widths].join(' ') }
}

/** The column headings. Cards repeat them in each cell, so this row is then only for screen readers. */
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
      {fit.columns.map(({ id, header, isRight }) => (
        <span key={id} role="columnheader" className={isRight ? 'cell right' : 'cell'}>
          {header}
        </span>
      ))}
    </div>
  )
}

export function SelectAll<Row>(props: {
  readonly selection: Selection<Row>
  readonly ids: readonly string[]
}) {
  const { selection, ids } = props
  const isAll = ids.length > 0 && ids.every((id) => selection.ids.has(id))
  return (
    <Checkbox
      size="xs"
      aria-label="Select all rows shown"
      checked={isAll}
      indeterminate={!isAll && selection.ids.size > 0}
      onChange={() => selection.change(new Set(isAll ? [] : ids))}
    />
  )
}

interface TableRowProps<Row> {
  readonly row: Row
  readonly fit: Fit<Row>
  readonly style: CSSProperties
  /** The page that the row leads to. */
  readonly to: string | undefined
  readonly id: string
  readonly selection?: Selection<Row> | undefined
  /** Its position in the whole table; the heading is the first row. */
  readonly index?: number
}

/**
 * A row of a table. A row with a page is a link, so that it can be opened in a new tab and sent to a colleague. If
 * it has a checkbox, the link is in the first cell, because a link must not contain interactive elements.
 */
export function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, fit, style, to, index, selection } = props
  const shared = { className: 'row', style, role: 'row', 'aria-rowindex': index } as const
  if (selection) return <CheckedRow {...props} selection={selection} />
  const cells = <Cells fit={fit} row={row} />
  return to === undefined ? (
    <div {...shared}>{cells}</div>
  ) : (
    <Link {...targetOf(to)} {...shared}>
      {cells}
    </Link>
  )
}

function CheckedRow<Row>(props: TableRowProps<Row> & { readonly selection: Selection<Row> }) {
  const { row, fit, style, to, id, index, selection } = props
  const navigate = useNavigate()
  const isChecked = selection.ids.has(id)
  const toggle = () => {
    const ids = new Set(selection.ids)
    if (!ids.delete(id)) ids.add(id)
    selection.change(ids)
  }
  const open = ({ target }: MouseEvent) => {
    if (to === undefined || (target instanceof Element && target.closest('a, button, label, .check'))) return
    void navigate(targetOf(to))
  }
  return (
    // Keyboard users have the link in the first cell.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      className={to === undefined ? 'row' : 'row opens'}
      style={style}
      role="row"
      tabIndex={-1}
      aria-rowindex={index}
      onClick={open}
    >
      <span role="cell" className="cell check">
        <Checkbox size="xs" aria-label={selection.labelOf(row)} checked={isChecked} onChange={toggle} />
      </span>
      <Cells fit={fit} row={row} to={to} />
    </div>
  )
}

/** The cells of a row. With `to`, the first one is a link. */
function Cells<Row>(props: { readonly fit: Fit<Row>; readonly row: Row; readonly to?: string | undefined }) {
  const { fit, row, to } = props
  return fit.columns.map(({ id, header, isRight, cell }, at) => (
    <span key={id} role="cell" className={isRight ? 'cell right' : 'cell'}>
      {fit.isCards && (
        <span className="name" aria-hidden="true">
          {header}
        </span>
      )}
      {at === 0 && to !== undefined ? <Link {...targetOf(to)}>{cell(row)}</Link> : cell(row)}
    </span>
  ))
}
