import { ActionIcon, Group, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { CopyIcon, DoneIcon } from './icons.tsx'

/** An id that is read aloud and copied in full. `isShort` displays only its prefix and its end. */
export function RecordId({ id, isShort = false }: { readonly id: string; readonly isShort?: boolean }) {
  const { copy, copied } = useClipboard()
  const label = copied ? 'Copied' : 'Copy the id'
  return (
    <Group gap={4} wrap="nowrap" miw={0} component="span" display="inline-flex">
      <span className="id clipped" title={id}>
        {isShort ? shortenId(id) : id}
      </span>
      <Tooltip label={label}>
        <ActionIcon size="sm" variant="subtle" color="gray" aria-label={label} onClick={() => copy(id)}>
          {copied ? <DoneIcon /> : <CopyIcon />}
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

const END_CHARACTERS = 8

/** Shortens an id to `Customer…c0de0001`. Records created together differ only at the end of their ids. */
export function shortenId(id: string): string {
  const colon = id.indexOf(':')
  return colon < 0 ? id : `${id.slice(0, colon)}…${id.slice(-END_CHARACTERS)}`
}
