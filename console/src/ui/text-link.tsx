import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatSearch } from './search-text.ts'
import { toLinkTarget } from './target.ts'

/** An inline link to a page of the console. `search` sets list filters. */
export function TextLink(props: {
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
  readonly children: ReactNode
}) {
  const { to, search, children } = props
  return (
    <Anchor
      inherit
      // Underlined, because a link must not differ from the surrounding text only by color.
      underline="always"
      renderRoot={(anchorProps) => (
        <Link {...anchorProps} {...toLinkTarget(`${to}${formatSearch(search)}`)} />
      )}
    >
      {children}
    </Anchor>
  )
}
