import { ActionIcon, type ActionIconProps, VisuallyHidden } from '@mantine/core'
import type { Ref } from 'react'
import { useMe } from '../session/me.ts'

/** A button with the member's initials. */
export function Initials(
  props: ActionIconProps & { readonly ref?: Ref<HTMLButtonElement>; readonly onClick?: () => void },
) {
  const { member } = useMe()
  return (
    <ActionIcon variant="default" size="lg" aria-haspopup="menu" {...props}>
      <span aria-hidden="true">{getInitials(member.name)}</span>
      <VisuallyHidden>Signed in as {member.name}</VisuallyHidden>
    </ActionIcon>
  )
}

/** The first letters of the first and last word of a name. */
function getInitials(name: string): string {
  const words = name.trim().split(/\s+/)
  const outerWords = words.length > 1 ? [words[0]!, words.at(-1)!] : words
  return outerWords.map((word) => [...word][0]?.toUpperCase() ?? '').join('')
}
