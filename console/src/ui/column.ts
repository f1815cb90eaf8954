import type { ReactNode } from 'react'

/** A column of a list. */
export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** A width of CSS grid, `12rem` or `minmax(10rem, 2fr)`. Its smallest width decides whether the column fits. */
  readonly width: string
  readonly isRight?: boolean
  /** 1, the default: always shown. 2: hidden on narrow screens. 3: hidden first, and on cards. */
  readonly priority?: 1 | 2 | 3
  readonly cell: (row: Row) => ReactNode
}
