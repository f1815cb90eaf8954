import { Modal, NavLink, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { countersign } from '../data/client.ts'
import { SearchIcon } from '../ui/icons.tsx'
import { readRecentPages } from '../ui/recent.ts'
import { EmptyState, ErrorState } from '../ui/states.tsx'
import { formatConstant } from '../ui/status-meaning.ts'
import { toLinkTarget } from '../ui/target.ts'
import { findCommands } from './commands.ts'
import { getPagePath } from './page-paths.ts'

const TYPING_MS = 150
const CHARACTERS_MAX = 255

/** A search result (a page, an action, a record or a recently opened page) and the path that it opens. */
interface Line {
  readonly id: string
  readonly title: string
  readonly detail?: string
  readonly kind: string
  readonly to: string
}

/**
 * Searches records by their data, and pages and actions by their words. While the input is empty, shows
 * recent pages.
 */
export function Search({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const [input, setInput] = useState('')
  const [selectedIndex, setSelectedIndex] = useState(0)
  const navigate = useNavigate()
  const { lines, isNothing, error } = useLines(input, isOpen)
  useEffect(() => setSelectedIndex(0), [input])
  const open = (line: Line | undefined) => {
    if (!line) return
    close()
    setInput('')
    void navigate(toLinkTarget(line.to))
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && lines.length > 0) {
      event.preventDefault()
      setSelectedIndex((selectedIndex + step + lines.length) % lines.length)
    }
    if (event.key === 'Enter') open(lines[selectedIndex])
  }
  return (
    <Modal opened={isOpen} onClose={close} title="Search" size="lg" yOffset="10vh">
      <Stack gap="xs" mih={220}>
        <TextInput
          role="combobox"
          aria-label="Search for"
          aria-expanded={lines.length > 0}
          aria-controls="search-lines"
          aria-activedescendant={lines.length > 0 ? `search-${selectedIndex}` : undefined}
          placeholder="Name, e-mail, amount, last four, merchant, id, page"
          data-autofocus
          maxLength={CHARACTERS_MAX}
          value={input}
          leftSection={<SearchIcon />}
          onChange={({ currentTarget }) => setInput(currentTarget.value)}
          onKeyDown={onKey}
        />
        {error !== null && <ErrorState error={error} />}
        {isNothing && (
          <EmptyState title="Nothing found">
            Try the beginning of a name, an e-mail address or its domain, an amount such as 25.00, the last
            four characters of an account, a reference or a whole id.
          </EmptyState>
        )}
        <Lines lines={lines} selectedIndex={selectedIndex} select={setSelectedIndex} open={open} />
      </Stack>
    </Modal>
  )
}

function useLines(input: string, isOpen: boolean) {
  const searchText = input.trim()
  const [text] = useDebouncedValue(searchText, TYPING_MS)
  const query = useQuery({
    queryKey: ['search', text],
    queryFn: ({ signal }) => countersign.search.all({ query: text }, { signal }),
    enabled: isOpen && text !== '',
  })
  const records = searchText === text && searchText !== '' ? query.data?.data : undefined
  // Depends on `isOpen`, because further pages may have been opened since the last search.
  const lines = useMemo((): readonly Line[] => {
    if (searchText === '')
      return readRecentPages().map(({ title, kind, to }) => ({ id: to, title, detail: 'Recent', kind, to }))
    return [
      ...findCommands(searchText).map((command) => ({ id: command.title, ...command })),
      ...(records ?? []).map(({ id, title, detail = id, type }) => ({
        id,
        title,
        detail,
        kind: formatConstant(type),
        to: getPagePath(type, id),
      })),
    ]
  }, [searchText, records, isOpen])
  const isNothing = records !== undefined && lines.length === 0
  return { lines, isNothing, error: query.error }
}

function Lines(props: {
  readonly lines: readonly Line[]
  readonly selectedIndex: number
  readonly select: (index: number) => void
  readonly open: (line: Line) => void
}) {
  const { lines, selectedIndex, select, open } = props
  return (
    <div role="listbox" id="search-lines" aria-label="Found">
      {lines.map((line, index) => (
        <NavLink
          key={line.id}
          id={`search-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === selectedIndex}
          active={index === selectedIndex}
          label={<span className="clipped">{line.title}</span>}
          description={line.detail && <span className="clipped">{line.detail}</span>}
          rightSection={
            <Text size="xs" c="dimmed">
              {line.kind}
            </Text>
          }
          onClick={() => open(line)}
          onMouseEnter={() => select(index)}
        />
      ))}
    </div>
  )
}
