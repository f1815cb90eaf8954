import { Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMatch, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useMe } from '../session/me.ts'
import { announce } from './announce.tsx'
import { searchOf } from './search-text.ts'
import { targetOf } from './target.ts'
import { pathOf, readViews, type View, withoutView, withView, writeViews } from './views.ts'

/** The views of a list that the member has saved: opens one, saves the filters as one, or removes the open one. */
export function SavedViews({ values }: { readonly values: Readonly<Record<string, string | undefined>> }) {
  const { member } = useMe()
  const path = useMatch({ strict: false, select: ({ pathname }) => pathname })
  const [views, setViews] = useState(() => readViews(member.id))
  const [isNaming, { open, close }] = useDisclosure(false)
  const navigate = useNavigate()
  const to = `${path}${searchOf(values)}`
  const own = views.filter((view) => pathOf(view) === path)
  const shown = own.find((view) => view.to === to)
  const isFiltered = to !== path
  const change = (next: readonly View[], said: string) => {
    setViews(next)
    writeViews(member.id, next)
    announce(said)
  }
  if (own.length === 0 && !isFiltered) return null
  return (
    <>
      <Menu position="bottom-start" width={260} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default">
            <span className="clipped">{shown ? `View: ${shown.name}` : 'Views'}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {own.map((view) => (
            <Menu.Item
              key={view.name}
              aria-current={view === shown}
              onClick={() => void navigate(targetOf(view.to))}
            >
              <span className="clipped">{view.name}</span>
            </Menu.Item>
          ))}
          {own.length > 0 && <Menu.Divider />}
          {isFiltered && !shown && <Menu.Item onClick={open}>Save these filters …</Menu.Item>}
          {isFiltered && (
            <Menu.Item onClick={() => void navigate(targetOf(path))}>Clear all filters</Menu.Item>
          )}
          {shown && (
            <Menu.Item
              className="risky"
              onClick={() => change(withoutView(views, shown), `Removed the view ${shown.name}.`)}
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
          description="Kept for you in this browser. To share it, send the address of the page"
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
