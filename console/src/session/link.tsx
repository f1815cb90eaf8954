import { Button, Loader, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { countersign } from '../data/client.ts'
import { ErrorState, Loading } from '../ui/states.tsx'
import { makePasskey } from './passkeys.ts'
import { useFinish } from './sign-in.tsx'

/** What the address brings behind `#`, which a browser never sends and no log has. */
export interface ArrivalToken {
  readonly kind: 'link' | 'invitation'
  readonly token: string
}

/** Takes the token out of the address, so that it is neither kept in the history nor sent on by copying. */
export function takeArrivalToken(): ArrivalToken | undefined {
  const found = /^#(link|invitation)=(.+)$/.exec(location.hash)
  if (!found) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return { kind: found[1] as ArrivalToken['kind'], token: found[2]! }
}

/** Signs in by the link of the sandbox. A link works once. */
export function LinkSignIn({ token, leave }: { readonly token: string; readonly leave: () => void }) {
  const finish = useFinish(leave)
  const { mutate, isError, error } = useMutation({
    mutationFn: () => countersign.memberSessions.create({ type: 'LINK', token }),
    onSuccess: finish,
  })
  // A link is used up by its first use, and effects run twice in development.
  const isUsed = useRef(false)
  useEffect(() => {
    if (isUsed.current) return
    isUsed.current = true
    mutate()
  }, [mutate])
  if (!isError)
    return (
      <Stack align="center">
        <Loader aria-label="Signing in" />
      </Stack>
    )
  return (
    <Stack>
      <ErrorState error={error} />
      <Button variant="default" onClick={leave}>
        Sign in another way
      </Button>
    </Stack>
  )
}

/** The page of an invitation: whose it is, and the passkey that it makes. */
export function Invitation({ token, leave }: { readonly token: string; readonly leave: () => void }) {
  const finish = useFinish(leave)
  const view = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => countersign.memberInvitations.read({ token }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const accept = useMutation({
    mutationFn: async (withPasskey: boolean) => {
      // Options are valid for minutes, and the page may have been open for hours.
      const { passkey } = await countersign.memberInvitations.read({ token })
      return countersign.memberInvitations.accept({
        token,
        ...(withPasskey && passkey ? { passkey: await makePasskey(passkey) } : {}),
      })
    },
    onSuccess: finish,
  })
  if (view.isPending) return <Loading />
  if (view.isError) return <ErrorState error={view.error} />
  const { name, email, platformName, passkey, isPasskeyRequired } = view.data
  return (
    <Stack>
      <Title order={1} size="h2">
        Welcome to {platformName}
      </Title>
      <Text>
        {name}, you are invited with the address <strong>{email}</strong>. A passkey on this device signs you
        in from now on.
      </Text>
      {!passkey && (
        <Text c="dimmed">
          This address cannot have passkeys, because it is a number or has no TLS. On this machine, open the
          link with localhost.
        </Text>
      )}
      {passkey && (
        <Button size="md" loading={accept.isPending} onClick={() => accept.mutate(true)}>
          Make a passkey and sign in
        </Button>
      )}
      {!isPasskeyRequired && (
        <Button variant="default" loading={accept.isPending} onClick={() => accept.mutate(false)}>
          Go on without a passkey
        </Button>
      )}
      {accept.isError && <ErrorState error={accept.error} />}
    </Stack>
  )
}
