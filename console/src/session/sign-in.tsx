import { Button, Divider, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useContext, useState } from 'react'
import { countersign } from '../data/client.ts'
import { connection } from '../data/connection.ts'
import { ErrorState } from '../ui/states.tsx'
import { type Identity, MeContext, meQuery } from './me.ts'
import { signInByPasskey } from './passkeys.ts'

/** Sign-in with a passkey or with a code sent by e-mail. Calls `onDone` afterwards. */
export function SignIn({ onDone }: { readonly onDone?: () => void }) {
  const finish = useFinishSignIn(onDone)
  const passkey = useMutation({ mutationFn: signInByPasskey, onSuccess: finish })
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        Sign in
      </Title>
      <Button size="md" loading={passkey.isPending} onClick={() => passkey.mutate()}>
        Sign in with a passkey
      </Button>
      {passkey.isError && <ErrorState error={passkey.error} />}
      <Divider label="or" />
      <CodeSignIn finish={finish} />
      <Text size="sm" c="dimmed">
        New here? Open the link of your invitation. In a sandbox, <code>npm start</code> and{' '}
        <code>npx countersign console</code> print a link that signs you in.
      </Text>
    </Stack>
  )
}

/** Returns a function that completes a sign-in: stores the member's identity and reloads all data. */
export function useFinishSignIn(onDone?: () => void): (identity: Identity) => void {
  const client = useQueryClient()
  return (identity) => {
    const previousIdentity = client.getQueryData(meQuery.queryKey)
    // Never show one member's data to another.
    if (previousIdentity && previousIdentity.member.id !== identity.member.id) client.clear()
    connection.signedIn()
    // Discard a request that was sent before the sign-in.
    void client.cancelQueries({ queryKey: meQuery.queryKey })
    client.setQueryData(meQuery.queryKey, identity)
    void client.invalidateQueries()
    onDone?.()
  }
}

function CodeSignIn({ finish }: { readonly finish: (identity: Identity) => void }) {
  const [email, setEmail] = useState('')
  const [code, setCode] = useState('')
  // A renewed session stays on the current platform, even if the e-mail address belongs to members of several
  // platforms.
  const platformId = useContext(MeContext)?.platform.id
  const address = { email, ...(platformId !== undefined && { platformId }) }
  const send = useMutation({ mutationFn: () => countersign.memberSessions.sendCode(address) })
  const enter = useMutation({
    mutationFn: () => countersign.memberSessions.create({ type: 'CODE', ...address, code }),
    onSuccess: finish,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (send.isSuccess) enter.mutate()
    else send.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="E-mail address"
          type="email"
          required
          autoComplete="email"
          value={email}
          onChange={({ currentTarget }) => {
            setEmail(currentTarget.value)
            send.reset()
          }}
        />
        {send.isSuccess && (
          <TextInput
            label="Code"
            description="Sent to this address, if it belongs to a team member"
            required
            autoFocus
            autoComplete="one-time-code"
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
          />
        )}
        <Button type="submit" variant="default" loading={send.isPending || enter.isPending}>
          {send.isSuccess ? 'Sign in' : 'Send a code'}
        </Button>
        {(send.isError || enter.isError) && <ErrorState error={enter.error ?? send.error} />}
      </Stack>
    </form>
  )
}
