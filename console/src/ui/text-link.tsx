import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { searchOf } from './search-text.ts'
import { targetOf } from './target.ts'

/** A link within a text, to a page of the console: its path, and the filters of a list. */
export function TextLink(props: {
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
  readonly children: ReactNode
}) {
  const { to, search, children } = props
  return (
    <Anchor
      inherit
      // Told from the text around it by more than its colour.
      underline="always"
      renderRoot={(rest) => <Link {...rest} {...targetOf(`${to}${searchOf(search)}`)} />}
    >
      {children}
    </Anchor>
  )
}
