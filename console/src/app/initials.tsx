import { ActionIcon, type ActionIconProps, VisuallyHidden } from '@mantine/core'
import type { Ref } from 'react'
import { useMe } from '../session/me.ts'

/** The button with the initials of the member. */
export function Initials(
  props: ActionIconProps & { readonly ref?: Ref<HTMLButtonElement>; readonly onClick?: () => void },
) {
  const { member } = useMe()
  return (
    <ActionIcon variant="default" size="lg" aria-haspopup="menu" {...props}>
      <span aria-hidden="true">{initialsOf(member.name)}</span>
      <VisuallyHidden>Signed in as {member.name}</VisuallyHidden>
    </ActionIcon>
  )
}

/** The first letters of the first and the last word of a name. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const ends = words.length > 1 ? [words[0]!, words.at(-1)!] : words
  return ends.map((word) => [...word][0]?.toUpperCase() ?? '').join('')
}
