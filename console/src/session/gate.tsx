import { Center, Stack, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { reloadChanged } from '../data/changed.ts'
import { connection } from '../data/connection.ts'
import { loadWhenIdle } from '../data/idle-loads.ts'
import { ErrorState } from '../ui/states.tsx'
import { type ArrivalToken, takeArrivalToken } from './arrival-token.ts'
import { type Identity, meQuery } from './me.ts'
import { ViewAs } from './view-as.tsx'

// Loaded on use, because signed-in members need none of these until their session ends.
const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }))
const Arrival = lazy(async () => ({ default: (await import('./arrival.tsx')).Arrival }))
const SessionEnded = lazy(
  loadWhenIdle(async () => ({ default: (await import('./session-ended.tsx')).SessionEnded })),
)

/**
 * The polling interval of the signed-in member: permissions may change while a page is open, and an
 * unreachable server may be back later.
 */
const REACHABLE_POLL_MS = 60_000
const UNREACHABLE_POLL_MS = 2_000

/**
 * Shows the pages to signed-in members and the sign-in form to everybody else. If a session ends while a page
 * is open, it is renewed in a dialog over the page, so that no input is lost.
 */
export function Gate({ children }: { readonly children: ReactNode }) {
  const [arrival, leave] = useArrival()
  const { isUnreachable: isAway, isSignedOut } = useSyncExternalStore(connection.subscribe, connection.state)
  const me = useQuery({ ...meQuery, refetchInterval: isAway ? UNREACHABLE_POLL_MS : REACHABLE_POLL_MS })
  useReloadOnReconnect(isAway)
  // The member whose pages are open. They stay open behind the dialog that renews the session.
  const [opened, setOpened] = useState<Identity>()
  if (me.data && me.data !== opened) setOpened(me.data)

  if (arrival)
    return (
      <SignedOutLayout>
        <Arrival arrival={arrival} leave={leave} />
      </SignedOutLayout>
    )
  if (me.isPending) return null
  if (opened === undefined)
    return (
      <SignedOutLayout>
        {me.isError ? <ErrorState error={me.error} retry={() => void me.refetch()} /> : <SignIn />}
      </SignedOutLayout>
    )
  return (
    <>
      {isAway && (
        <div className="away waits" role="status">
          The server cannot be reached. This page retries automatically.
        </div>
      )}
      <ViewAs key={opened.member.id} me={opened}>
        {children}
        <Suspense>{(isSignedOut || me.data === null) && <SessionEnded />}</Suspense>
      </ViewAs>
    </>
  )
}

/** The token of a sign-in link or invitation, until the member leaves that page. */
function useArrival(): [arrival: ArrivalToken | undefined, leave: () => void] {
  const [arrival, setArrival] = useState(takeArrivalToken)
  useEffect(() => {
    // A link opened in the same tab only changes the part after `#`, so the page is not reloaded.
    const onHashChange = () => setArrival((previous) => takeArrivalToken() ?? previous)
    window.addEventListener('hashchange', onHashChange)
    return () => window.removeEventListener('hashchange', onHashChange)
  }, [])
  return [arrival, () => setArrival(undefined)]
}

/** Reloads all data once the server is reachable again. */
function useReloadOnReconnect(isUnreachable: boolean): void {
  const client = useQueryClient()
  const [wasUnreachable, setWasUnreachable] = useState(false)
  useEffect(() => {
    if (wasUnreachable && !isUnreachable) void reloadChanged(client)
    setWasUnreachable(isUnreachable)
  }, [client, isUnreachable, wasUnreachable])
}

function SignedOutLayout({ children }: { readonly children: ReactNode }) {
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Title order={2} size="h3">
          Countersign
        </Title>
        <Suspense>{children}</Suspense>
      </Stack>
    </Center>
  )
}
