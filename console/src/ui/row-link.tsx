import { Link } from '@tanstack/react-router'
import type { CSSProperties, ReactNode } from 'react'

/** A row of a table, which is a link where it leads somewhere: it can be opened in a new tab and sent to a colleague. */
export function RowLink(props: {
  readonly to: string | undefined
  readonly style: CSSProperties
  /** Its place in the whole table, the head being the first. */
  readonly index: number
  readonly children: ReactNode
}) {
  const { to, style, index, children } = props
  const shared = { className: 'row', style, role: 'row', 'aria-rowindex': index }
  return to === undefined ? (
    <div {...shared}>{children}</div>
  ) : (
    <Link to={to} {...shared}>
      {children}
    </Link>
  )
}
