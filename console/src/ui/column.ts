import type { ReactNode } from 'react'

/** A column of a list. */
export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** A width of CSS grid, such as `minmax(10rem, 2fr)`. */
  readonly width: string
  readonly isRight?: boolean
  /** Hidden on a phone: rows there show only columns that distinguish them. */
  readonly isWideOnly?: boolean
  readonly cell: (row: Row) => ReactNode
}
