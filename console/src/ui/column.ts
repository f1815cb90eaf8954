import type { ReactNode } from 'react'

/** A column of a list. */
export interface Column<Row> {
  readonly id: string
  readonly header: string
  /**
   * A CSS grid width such as `12rem` or `minmax(10rem, 2fr)`. Its minimum decides whether the column fits.
   */
  readonly width: string
  readonly isRightAligned?: boolean
  /**
   * 1, the default, is always shown. 2 is hidden on narrow screens. 3 is hidden first, and always in the card
   * layout.
   */
  readonly priority?: 1 | 2 | 3
  readonly cell: (row: Row) => ReactNode
}
