import { Anchor, Group, Stack, Title } from '@mantine/core'
import { Link, useMatch } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { rememberPage } from './recent.ts'
import { toLinkTarget } from './target.ts'

interface PageProps {
  readonly title: string
  /** Shown next to the title, such as a status or an id. */
  readonly aside?: ReactNode
  readonly actions?: ReactNode
  /** The list to which this page belongs. */
  readonly parent?: { readonly title: string; readonly to: string }
  /** True if the record has not been loaded or does not exist. */
  readonly isUnread?: boolean
  readonly children: ReactNode
}

/** The layout of a page: a link to its list, the title, actions and content. Also sets the window title. */
export function Page({ title, aside, actions, parent, isUnread = false, children }: PageProps) {
  // Not the router's location, because that already belongs to the next page while it loads.
  const to = useMatch({ strict: false, select: ({ pathname }) => pathname })
  const kind = parent?.title
  useEffect(() => {
    if (kind !== undefined && !isUnread) rememberPage({ title, kind, to })
  }, [title, kind, to, isUnread])
  useEffect(() => {
    document.title = `${title} · Countersign`
  }, [title])
  return (
    <Stack gap="lg">
      <div>
        {parent && (
          <Anchor
            size="sm"
            c="dimmed"
            renderRoot={(anchorProps) => <Link {...anchorProps} {...toLinkTarget(parent.to)} />}
          >
            ← {parent.title}
          </Anchor>
        )}
        <Group justify="space-between" align="center" gap="sm" mih={36}>
          <Group gap="sm" miw={0} style={{ flex: '1 1 12rem' }}>
            <Title order={1} size="h2" className="title" title={title}>
              {title}
            </Title>
            {aside}
          </Group>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      </div>
      {children}
    </Stack>
  )
}

/** A section of a page with a heading. */
export function Panel(props: {
  readonly title: string
  readonly actions?: ReactNode
  readonly isBare?: boolean
  readonly children: ReactNode
}) {
  const { title, actions, isBare = false, children } = props
  return (
    <section className="panel" aria-label={title}>
      <header>
        <Title order={2} size="h3">
          {title}
        </Title>
        {actions}
      </header>
      {isBare ? children : <div className="body">{children}</div>}
    </section>
  )
}
