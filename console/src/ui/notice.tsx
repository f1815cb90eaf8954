import type { ReactNode } from 'react'
import type { Meaning } from './status-meaning.ts'

/** What a reader has to know before the rest of a page. Its colour is that of what it means. */
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
