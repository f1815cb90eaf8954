import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import type { Column } from './column.ts'

/**
 * The columns that fit into a table. On narrow screens rows become cards: two cells per line, with their
 * headings.
 */
export interface Fit<Row> {
  readonly columns: readonly Column<Row>[]
  readonly isCards: boolean
}

/** The width of the checkbox column. */
const CHECK_REM = 1.5
/** The padding on both sides of a row, its border, and a margin for rounding. */
const ENDS_REM = 2.25
const GAP_REM = 1
/** Below this width, cells side by side are too short to read. */
const CARDS_BELOW_REM = 30

/**
 * Drops columns, lowest priority first, until the remaining ones have their minimum width, so that no column
 * is cut off. If even the columns of priority 1 are too wide, rows become cards.
 */
export function fitColumns<Row>(
  columns: readonly Column<Row>[],
  widthRem: number,
  hasChecks = false,
): Fit<Row> {
  const fits = (columns: readonly Column<Row>[]) => sumWidthRem(columns, hasChecks) <= widthRem
  let fitting = [...columns]
  for (const priority of [3, 2])
    while (!fits(fitting)) {
      const last = fitting.findLastIndex((column) => column.priority === priority)
      if (last < 0) break
      fitting = fitting.toSpliced(last, 1)
    }
  if (widthRem >= CARDS_BELOW_REM && fits(fitting)) return { columns: fitting, isCards: false }
  return { columns: columns.filter(({ priority }) => priority !== 3), isCards: true }
}

function sumWidthRem<Row>(columns: readonly Column<Row>[], hasChecks: boolean): number {
  const widths = columns.map(({ width }) => Number(/\d+(?:\.\d+)?/.exec(width)?.[0] ?? 0))
  const cells = hasChecks ? [CHECK_REM, ...widths] : widths
  return cells.reduce((sum, cell) => sum + cell + GAP_REM, ENDS_REM - GAP_REM)
}

/** Determines the columns that fit into a table's container, and updates them when its width changes. */
export function useFittingColumns<Row>(
  columns: readonly Column<Row>[],
  box: RefObject<HTMLElement | null>,
  hasChecks = false,
): Fit<Row> {
  const widthRem = useWidthRem(box)
  return useMemo(() => fitColumns(columns, widthRem, hasChecks), [columns, widthRem, hasChecks])
}

function useWidthRem(box: RefObject<HTMLElement | null>): number {
  const [rem, setRem] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () =>
      setRem(element.offsetWidth / Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return rem
}
