import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { countersign } from '../data/client.ts'
import { connection } from '../data/connection.ts'
import { loadIdle, loadWhenIdle } from '../data/idle-loads.ts'
import { followLive } from '../data/live-events.ts'
import { SandboxButton } from '../pages/sandbox/sandbox-button.tsx'
import { useIsSandbox, useMe } from '../session/me.ts'
import { Announcement } from '../ui/announce.tsx'
import { MoonIcon, SunIcon } from '../ui/icons.tsx'
import { forgetPages } from '../ui/recent.ts'
import { useKeys } from './keyboard.ts'
import { LoadingBar } from './loading-bar.tsx'
import { MovedClock, useMovedClock } from './moved-clock.tsx'
import { PLACES, type Place } from './navigation.ts'
import { SearchButton } from './search-button.tsx'

const Search = lazy(loadWhenIdle(async () => ({ default: (await import('./search.tsx')).Search })))
const KeysHelp = lazy(loadWhenIdle(async () => ({ default: (await import('./keys-help.tsx')).KeysHelp })))

const GROUPS = [...new Set(PLACES.map(({ group }) => group))]

const BAR_PIXELS = 52
const BANNER_PIXELS = 36

/** The frame around every page: the navigation, the search, who is signed in. */
export function Shell() {
  const [isNavigationOpen, { toggle, close: closeNavigation }] = useDisclosure(false)
  const [dialog, setDialog] = useState<'search' | 'keys'>()
  const { pathname } = useLocation()
  useKeys({ search: () => setDialog('search'), help: () => setDialog('keys') })
  const close = () => setDialog(undefined)
  useLiveEvents()
  useIdleLoads()
  const aheadMs = useMovedClock()
  useEffect(closeNavigation, [pathname])
  return (
    <AppShell
      header={{ height: aheadMs === undefined ? BAR_PIXELS : BAR_PIXELS + BANNER_PIXELS }}
      style={{ '--banner': `${aheadMs === undefined ? 0 : BANNER_PIXELS}px` }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isNavigationOpen } }}
      padding={{ base: 'md', sm: 'lg' }}
    >
      <AppShell.Header>
        <Group h={BAR_PIXELS} px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={isNavigationOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isNavigationOpen ? 'Close the navigation' : 'Open the navigation'}
            />
            <Platform />
          </Group>
          <Group gap="xs" wrap="nowrap">
            {useIsSandbox() && <SandboxButton />}
            <SearchButton open={() => setDialog('search')} />
            <SchemeSwitch />
            <Account />
          </Group>
        </Group>
        {aheadMs !== undefined && <MovedClock aheadMs={aheadMs} />}
      </AppShell.Header>
      <AppShell.Navbar>
        <AppShell.Section grow component={ScrollArea} p="xs">
          <Navigation pathname={pathname} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main>
        <Outlet />
      </AppShell.Main>
      <LoadingBar />
      <Announcement />
      <Suspense>
        {dialog === 'search' && <Search isOpen close={close} />}
        {dialog === 'keys' && <KeysHelp isOpen close={close} />}
      </Suspense>
    </AppShell>
  )
}

/** Follows the platform's events for as long as the session lasts. */
function useLiveEvents(): void {
  const client = useQueryClient()
  const { session } = useMe()
  useEffect(() => {
    const ended = new AbortController()
    // A refused stream is opened again with the next session.
    followLive(client, ended.signal).catch(() => undefined)
    return () => ended.abort()
  }, [client, session.id])
}

/** Loads the scripts of other pages while the console asks for nothing. */
function useIdleLoads(): void {
  const client = useQueryClient()
  useEffect(() => {
    const ended = new AbortController()
    const isBusy = () => client.isFetching() > 0 || connection.state().isAway
    // The page says so when it is opened and its script cannot be loaded.
    loadIdle(isBusy, ended.signal).catch(() => undefined)
    return () => ended.abort()
  }, [client])
}

function Navigation({ pathname }: { readonly pathname: string }) {
  return (
    <nav aria-label="Pages">
      {GROUPS.map((group) => (
        <div key={group}>
          <Text size="xs" c="dimmed" fw={600} px="sm" pt="sm" pb={4}>
            {group}
          </Text>
          {PLACES.filter((place) => place.group === group).map((place) => (
            <PlaceLink key={place.to} place={place} isHere={isHere(place, pathname)} />
          ))}
        </div>
      ))}
    </nav>
  )
}

function isHere({ to }: Place, pathname: string): boolean {
  return to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`)
}

function PlaceLink({ place, isHere: isActive }: { readonly place: Place; readonly isHere: boolean }) {
  const { title, to, key } = place
  return (
    <Tooltip label={`g ${key}`} position="right" openDelay={800}>
      <NavLink
        component={Link}
        to={to}
        label={title}
        active={isActive}
        aria-current={isActive ? 'page' : undefined}
        py={6}
        style={{ borderRadius: 'var(--mantine-radius-sm)' }}
      />
    </Tooltip>
  )
}

function Platform() {
  const { platform } = useMe()
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <Text fw={600} className="clipped" title={platform.name}>
        {platform.name}
      </Text>
      {platform.otherConsoleUrl && <OtherConsole {...platform} url={platform.otherConsoleUrl} />}
    </Group>
  )
}

/** Shows which of the two deployments this is, and leads to the other one, where the member signs in separately. */
function OtherConsole({ mode, url }: { readonly mode: 'SANDBOX' | 'PRODUCTION'; readonly url: string }) {
  const [here, other] = mode === 'SANDBOX' ? ['Sandbox', 'production'] : ['Production', 'sandbox']
  return (
    <Tooltip label={`Switch to ${other}`}>
      <Button
        component="a"
        href={url}
        variant="default"
        size="compact-sm"
        aria-label={`${here}: switch to ${other}`}
      >
        {here}
      </Button>
    </Tooltip>
  )
}

function SchemeSwitch() {
  const scheme = useComputedColorScheme('light')
  const { setColorScheme } = useMantineColorScheme()
  const other = scheme === 'light' ? 'dark' : 'light'
  const label = `Use the ${other} colours`
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size="lg" aria-label={label} onClick={() => setColorScheme(other)}>
        {scheme === 'light' ? <MoonIcon /> : <SunIcon />}
      </ActionIcon>
    </Tooltip>
  )
}

function Account() {
  const { member } = useMe()
  const signOut = async () => {
    await countersign.members.signOut()
    forgetPages()
    // A new page has read nothing yet, so the next member sees nothing of this one.
    location.assign('/console/')
  }
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg">
          <span aria-hidden="true">{initialsOf(member.name)}</span>
          <VisuallyHidden>Signed in as {member.name}</VisuallyHidden>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <span className="clipped">{member.name}</span>
          <span className="clipped">{member.email}</span>
        </Menu.Label>
        <Menu.Item component={Link} to="/settings">
          Settings
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The first letters of the first and the last word of a name. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const ends = words.length > 1 ? [words[0]!, words.at(-1)!] : words
  return ends.map((word) => [...word][0]?.toUpperCase() ?? '').join('')
}
