import { ActionIcon, Button, Group, Kbd } from '@mantine/core'
import { SearchIcon } from '../ui/icons.tsx'

/** Opens the search. Looks like an input on a wide window and is an icon on a phone. */
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
