import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

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
      renderRoot={(rest) => (
        // The list that it leads to reads its own filters, whatever the address holds.
        <Link {...rest} to={to} {...(search ? { search: search as never } : {})} />
      )}
    >
      {children}
    </Anchor>
  )
}
