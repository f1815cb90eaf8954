import type { SearchResult } from '@countersign/contract/operation/search'
import { ActionIcon, Button, Group, Kbd, Modal, NavLink, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useState } from 'react'
import type { Static } from 'typebox'
import { countersign } from '../data/client.ts'
import { SearchIcon } from '../ui/icons.tsx'
import { EmptyState, ErrorState } from '../ui/states.tsx'
import { wordsOf } from '../ui/status-meaning.ts'
import { pageOf } from './page-paths.ts'

const TYPING_MS = 150
const CHARACTERS_MAX = 255

type Hit = Static<typeof SearchResult>

/** Finds anything by an id, an e-mail address, a phone number, a name or a reference. */
export function Search({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS)
  const [chosen, setChosen] = useState(0)
  const navigate = useNavigate()
  const found = useQuery({
    queryKey: ['search', text],
    queryFn: ({ signal }) => countersign.search.all({ query: text }, { signal }),
    enabled: isOpen && text !== '',
  })
  const hits = (text !== '' && found.data?.data) || []
  useEffect(() => setChosen(0), [text])
  const open = (hit: Hit | undefined) => {
    if (!hit) return
    close()
    setTyped('')
    void navigate({ to: pageOf(hit.type, hit.id) })
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && hits.length > 0) {
      event.preventDefault()
      setChosen((chosen + step + hits.length) % hits.length)
    }
    if (event.key === 'Enter') open(hits[chosen])
  }
  return (
    <Modal opened={isOpen} onClose={close} title="Search" size="lg" yOffset="10vh">
      <Stack gap="xs" mih={220}>
        <TextInput
          aria-label="Search for"
          placeholder="Name, e-mail, phone, id, reference"
          data-autofocus
          maxLength={CHARACTERS_MAX}
          value={typed}
          leftSection={<SearchIcon />}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={onKey}
        />
        {found.isError && <ErrorState error={found.error} />}
        {text !== '' && found.isSuccess && hits.length === 0 && (
          <EmptyState title="Nothing found">
            Search for a whole id, e-mail address or reference, or for the beginning of a name.
          </EmptyState>
        )}
        <Hits hits={hits} chosen={chosen} choose={setChosen} open={open} />
      </Stack>
    </Modal>
  )
}

function Hits(props: {
  readonly hits: readonly Hit[]
  readonly chosen: number
  readonly choose: (index: number) => void
  readonly open: (hit: Hit) => void
}) {
  const { hits, chosen, choose, open } = props
  return (
    <div role="listbox" aria-label="Found">
      {hits.map((hit, at) => (
        <NavLink
          key={hit.id}
          role="option"
          aria-selected={at === chosen}
          active={at === chosen}
          label={<span className="clipped">{hit.title}</span>}
          description={<span className="clipped">{hit.detail ?? hit.id}</span>}
          rightSection={
            <Text size="xs" c="dimmed">
              {wordsOf(hit.type)}
            </Text>
          }
          onClick={() => open(hit)}
          onMouseEnter={() => choose(at)}
        />
      ))}
    </div>
  )
}

/** Opens the search: a field's look on a wide window, an icon on a phone. */
export function SearchButton({ open }: { readonly open: () => void }) {
  return (
    <>
      <Button
        variant="default"
        visibleFrom="sm"
        onClick={open}
        leftSection={<SearchIcon />}
        rightSection={<Kbd size="xs">/</Kbd>}
        fw={400}
        c="dimmed"
        w={240}
        styles={{ label: { flex: 1 } }}
      >
        Search
      </Button>
      <Group hiddenFrom="sm">
        <ActionIcon variant="default" size="lg" aria-label="Search" onClick={open}>
          <SearchIcon />
        </ActionIcon>
      </Group>
    </>
  )
}
