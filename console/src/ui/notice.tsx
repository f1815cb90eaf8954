import type { ReactNode } from 'react'
import type { Meaning } from './status-meaning.ts'

/** A message to read before the rest of a page. Its color follows its meaning. */
export function Notice(props: {
  readonly meaning: Meaning
  readonly title: string
  readonly children: ReactNode
}) {
  const { meaning, title, children } = props
  return (
    <section className={`notice ${meaning}`} aria-label={title}>
      <strong>{title}</strong>
      {children}
    </section>
  )
}
