import { Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMatch, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useMe } from '../session/me.ts'
import { announce } from './announce.tsx'
import { formatSearch } from './search-text.ts'
import { toLinkTarget } from './target.ts'
import { getListPath, readViews, type View, withoutView, withView, writeViews } from './views.ts'

/**
 * The member's saved views of a list: opens them, saves the current filters as a view, or deletes the open
 * one.
 */
export function SavedViews({ values }: { readonly values: Readonly<Record<string, string | undefined>> }) {
  const { member } = useMe()
  const path = useMatch({ strict: false, select: ({ pathname }) => pathname })
  const [views, setViews] = useState(() => readViews(member.id))
  const [isNaming, { open, close }] = useDisclosure(false)
  const navigate = useNavigate()
  const to = `${path}${formatSearch(values)}`
  const listViews = views.filter((view) => getListPath(view) === path)
  const current = listViews.find((view) => view.to === to)
  const isFiltered = to !== path
  const change = (next: readonly View[], confirmation: string) => {
    setViews(next)
    writeViews(member.id, next)
    announce(confirmation)
  }
  if (listViews.length === 0 && !isFiltered) return null
  return (
    <>
      <Menu position="bottom-start" width={260} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default">
            <span className="clipped">{current ? `View: ${current.name}` : 'Views'}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {listViews.map((view) => (
            <Menu.Item
              key={view.name}
              aria-current={view === current}
              onClick={() => void navigate(toLinkTarget(view.to))}
            >
              <span className="clipped">{view.name}</span>
            </Menu.Item>
          ))}
          {listViews.length > 0 && <Menu.Divider />}
          {isFiltered && !current && <Menu.Item onClick={open}>Save these filters …</Menu.Item>}
          {isFiltered && (
            <Menu.Item onClick={() => void navigate(toLinkTarget(path))}>Clear all filters</Menu.Item>
          )}
          {current && (
            <Menu.Item
              className="risky"
              onClick={() => change(withoutView(views, current), `Removed the view ${current.name}.`)}
            >
              Remove this view
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isNaming} onClose={close} title="Save these filters" centered keepMounted={false}>
        <NameForm
          save={(name) => {
            close()
            change(withView(views, { name, to }), `Saved the view ${name}.`)
          }}
        />
      </Modal>
    </>
  )
}

function NameForm({ save }: { readonly save: (name: string) => void }) {
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save(name.trim())
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Stored for you in this browser. To share it, send the page’s address."
          required
          maxLength={60}
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" disabled={name.trim() === ''}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
