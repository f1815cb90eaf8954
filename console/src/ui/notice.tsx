import type { ReactNode } from 'react'
import type { Meaning } from './status-meaning.ts'

/** A message at the top of a page. Its color depends on its meaning. */
export function Notice(props: {
  readonly tone: Meaning
  readonly title: string
  readonly children: ReactNode
}) {
  const { tone: meaning, title, children } = props
  return (
    <section className={`notice ${meaning}`} aria-label={title}>
      <strong>{title}</strong>
      {children}
    </section>
  )
}
