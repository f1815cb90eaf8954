import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { searchOf } from './search-text.ts'
import { targetOf } from './target.ts'

/** An inline link to a page of the console. `search` sets the filters of a list. */
export function TextLink(props: {
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
  readonly children: ReactNode
}) {
  const { to, search, children } = props
  return (
    <Anchor
      inherit
      // Underlined, because color alone must not distinguish a link from the text around it.
      underline="always"
      renderRoot={(rest) => <Link {...rest} {...targetOf(`${to}${searchOf(search)}`)} />}
    >
      {children}
    </Anchor>
  )
}
