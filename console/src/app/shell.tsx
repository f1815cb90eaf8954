import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { connection } from '../data/connection.ts'
import { loadIdle, loadWhenIdle } from '../data/idle-loads.ts'
import { followLiveEvents } from '../data/live-events.ts'
import { SandboxButton } from '../pages/sandbox/sandbox-button.tsx'
import { useIsSandbox, useMe } from '../session/me.ts'
import { Announcement } from '../ui/announce.tsx'
import { MoonIcon, SunIcon, SwitchIcon } from '../ui/icons.tsx'
import { AccountButton } from './account-button.tsx'
import { MAIN_ID, SkipLink, useFocusOnNavigation } from './focus.tsx'
import { useKeyboardShortcuts } from './keyboard.ts'
import { LoadingBar } from './loading-bar.tsx'
import { MovedClock, useMovedClock } from './moved-clock.tsx'
import { NavigationLinks } from './navigation-links.tsx'
import { SearchButton } from './search-button.tsx'

const Search = lazy(loadWhenIdle(async () => ({ default: (await import('./search.tsx')).Search })))
const KeysHelp = lazy(loadWhenIdle(async () => ({ default: (await import('./keys-help.tsx')).KeysHelp })))

const BAR_PIXELS = 52
const BANNER_PIXELS = 36

/** The frame around every page: navigation, search, and the signed-in member. */
export function Shell() {
  const [isNavigationOpen, { toggle, close: closeNavigation }] = useDisclosure(false)
  const [dialog, setDialog] = useState<'search' | 'keys'>()
  const { pathname } = useLocation()
  useKeyboardShortcuts({ search: () => setDialog('search'), help: () => setDialog('keys') })
  const close = () => setDialog(undefined)
  useLiveEvents()
  useIdleLoads()
  useFocusOnNavigation()
  const aheadMs = useMovedClock()
  useEffect(closeNavigation, [pathname])
  return (
    <AppShell
      header={{ height: aheadMs === undefined ? BAR_PIXELS : BAR_PIXELS + BANNER_PIXELS }}
      style={{ '--banner': `${aheadMs === undefined ? 0 : BANNER_PIXELS}px` }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isNavigationOpen } }}
      padding={{ base: 'md', sm: 'lg' }}
    >
      <SkipLink />
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
            <AccountButton />
          </Group>
        </Group>
        {aheadMs !== undefined && <MovedClock aheadMs={aheadMs} />}
      </AppShell.Header>
      <AppShell.Navbar>
        <AppShell.Section grow p="xs" className="scrolls">
          <NavigationLinks pathname={pathname} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id={MAIN_ID} tabIndex={-1}>
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

/** Follows the platform's events during the session. */
function useLiveEvents(): void {
  const client = useQueryClient()
  const { session } = useMe()
  useEffect(() => {
    const controller = new AbortController()
    // A rejected stream is reopened with the next session.
    followLiveEvents(client, controller.signal).catch(() => undefined)
    return () => controller.abort()
  }, [client, session.id])
}

/** Loads the scripts of other pages while the console is idle. */
function useIdleLoads(): void {
  const client = useQueryClient()
  useEffect(() => {
    const controller = new AbortController()
    const isBusy = () => client.isFetching() > 0 || connection.state().isUnreachable
    // If a script cannot be loaded, the error is shown when its page is opened.
    loadIdle(isBusy, controller.signal).catch(() => undefined)
    return () => controller.abort()
  }, [client])
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

/**
 * Shows whether this console is for the sandbox or for production, with a link to the other one, which has a
 * separate sign-in.
 */
function OtherConsole({ mode, url }: { readonly mode: 'SANDBOX' | 'PRODUCTION'; readonly url: string }) {
  const [currentMode, otherMode] = mode === 'SANDBOX' ? ['Sandbox', 'production'] : ['Production', 'sandbox']
  return (
    <Button
      component="a"
      href={url}
      variant="default"
      size="compact-sm"
      title={`Switch to ${otherMode}`}
      aria-label={`${currentMode}: switch to ${otherMode}`}
      rightSection={<SwitchIcon />}
    >
      {currentMode}
    </Button>
  )
}

function SchemeSwitch() {
  const scheme = useComputedColorScheme('light')
  const { setColorScheme } = useMantineColorScheme()
  const otherScheme = scheme === 'light' ? 'dark' : 'light'
  const label = `Use the ${otherScheme} colors`
  return (
    <ActionIcon
      variant="default"
      size="lg"
      title={label}
      aria-label={label}
      onClick={() => setColorScheme(otherScheme)}
    >
      {scheme === 'light' ? <MoonIcon /> : <SunIcon />}
    </ActionIcon>
  )
}
