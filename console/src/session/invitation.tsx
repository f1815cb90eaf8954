import { Button, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { countersign } from '../data/client.ts'
import { ErrorState, Loading } from '../ui/states.tsx'
import { createPasskey } from './passkeys.ts'
import { useFinishSignIn } from './sign-in.tsx'

/** Accepts an invitation: shows who was invited and creates a passkey. */
export function Invitation({ token, leave }: { readonly token: string; readonly leave: () => void }) {
  const finish = useFinishSignIn(leave)
  const view = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => countersign.memberInvitations.read({ token }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const accept = useMutation({
    mutationFn: async (withPasskey: boolean) => {
      // Fetched again, because the options expire after minutes and the page may have been open for hours.
      const { passkey } = await countersign.memberInvitations.read({ token })
      return countersign.memberInvitations.accept({
        token,
        ...(withPasskey && passkey ? { passkey: await createPasskey(passkey) } : {}),
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
          Passkeys do not work at this address, because it is an IP address or has no TLS. On this machine,
          open the link with localhost.
        </Text>
      )}
      {passkey && (
        <Button size="md" loading={accept.isPending} onClick={() => accept.mutate(true)}>
          Create a passkey and sign in
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
