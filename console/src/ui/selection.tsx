import { Checkbox } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { Cells, type TableRowProps } from './table-parts.tsx'
import { toLinkTarget } from './target.ts'

/** The selected rows, by id. */
export interface Selection<Row> {
  readonly ids: ReadonlySet<string>
  readonly change: (ids: ReadonlySet<string>) => void
  /** The label of a row's checkbox: `Select 45.00 USD to Ada Lovelace`. */
  readonly formatLabel: (row: Row) => string
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

/**
 * A row with a checkbox. The link to the row's page is in the first cell, because a link must not contain
 * interactive elements.
 */
export function CheckedRow<Row>(
  props: TableRowProps<Row> & { readonly id: string; readonly selection: Selection<Row> },
) {
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
    void navigate(toLinkTarget(to))
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
        <Checkbox size="xs" aria-label={selection.formatLabel(row)} checked={isChecked} onChange={toggle} />
      </span>
      <Cells fit={fit} row={row} to={to} />
    </div>
  )
}
