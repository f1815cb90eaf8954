import { ActionIcon, Group, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { CopyIcon, DoneIcon } from './icons.tsx'

/** An id, whole for reading aloud and for copying. `isShort` shows its kind and its end. */
export function RecordId({ id, isShort = false }: { readonly id: string; readonly isShort?: boolean }) {
  const { copy, copied } = useClipboard()
  const label = copied ? 'Copied' : 'Copy the id'
  return (
    <Group gap={4} wrap="nowrap" miw={0} component="span" display="inline-flex">
      <span className="id clipped" title={id}>
        {isShort ? shortId(id) : id}
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

/** `Customer…c0de0001`: the end of an id distinguishes records made together. */
export function shortId(id: string): string {
  const colon = id.indexOf(':')
  return colon < 0 ? id : `${id.slice(0, colon)}…${id.slice(-END_CHARACTERS)}`
}
