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

// Signed-in members need none of these, until their session ends.
const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }))
const Arrival = lazy(async () => ({ default: (await import('./arrival.tsx')).Arrival }))
const SessionEnded = lazy(
  loadWhenIdle(async () => ({ default: (await import('./session-ended.tsx')).SessionEnded })),
)

/**
 * Interval for reloading the signed-in member: permissions may change while a page is open, and an unreachable
 * server may respond again.
 */
const PRESENT_MS = 60_000
const AWAY_MS = 2_000

/**
 * Shows the pages to signed-in members, and the sign-in form to everybody else. A session that ends while a page
 * is open is renewed in a dialog over the page, so that no input is lost.
 */
export function Gate({ children }: { readonly children: ReactNode }) {
  const [arrival, leave] = useArrival()
  const { isAway, isSignedOut } = useSyncExternalStore(connection.subscribe, connection.state)
  const me = useQuery({ ...meQuery, refetchInterval: isAway ? AWAY_MS : PRESENT_MS })
  useReadAgainAfter(isAway)
  // The member whose pages are open: they stay open below the dialog that renews the session.
  const [opened, setOpened] = useState<Identity>()
  if (me.data && me.data !== opened) setOpened(me.data)

  if (arrival)
    return (
      <Entrance>
        <Arrival arrival={arrival} leave={leave} />
      </Entrance>
    )
  if (me.isPending) return null
  if (opened === undefined)
    return (
      <Entrance>
        {me.isError ? <ErrorState error={me.error} retry={() => void me.refetch()} /> : <SignIn />}
      </Entrance>
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

/** The member's sign-in link, until it is left. */
function useArrival(): [arrival: ArrivalToken | undefined, leave: () => void] {
  const [arrival, setArrival] = useState(takeArrivalToken)
  useEffect(() => {
    // A link opened in the same tab changes only the part after `#`, and loads nothing.
    const onArrival = () => setArrival((former) => takeArrivalToken() ?? former)
    window.addEventListener('hashchange', onArrival)
    return () => window.removeEventListener('hashchange', onArrival)
  }, [])
  return [arrival, () => setArrival(undefined)]
}

/** Reloads everything once the server is back. */
function useReadAgainAfter(isAway: boolean): void {
  const client = useQueryClient()
  const [wasAway, setWasAway] = useState(false)
  useEffect(() => {
    if (wasAway && !isAway) void reloadChanged(client)
    setWasAway(isAway)
  }, [client, isAway, wasAway])
}

function Entrance({ children }: { readonly children: ReactNode }) {
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
