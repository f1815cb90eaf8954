import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMe } from '../../session/me.ts'
import { createPasskey } from '../../session/passkeys.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { Notifications } from './notifications.tsx'

/** The signed-in member's name, passkeys and sessions. */
export function MyAccount() {
  const { member } = useMe()
  return (
    <Stack gap="lg">
      <Panel title="You">
        <Facts
          items={[
            ['Name', member.name],
            ['E-mail', member.email],
            ['Permissions', member.permissions.join(', ')],
            ['Member since', <Time key="since" clock="real" at={member.createdAt} />],
          ]}
        />
      </Panel>
      <Notifications />
      <Passkeys />
      <Sessions />
    </Stack>
  )
}

function Passkeys() {
  const client = useQueryClient()
  const key = ['member-passkeys']
  const [name, setName] = useState('')
  const { data, error } = useQuery({ queryKey: key, queryFn: () => countersign.memberPasskeys.list() })
  const refreshData = () => void client.invalidateQueries({ queryKey: key })
  const add = useMutation({
    mutationFn: async () => {
      const options = await countersign.memberPasskeys.challenge()
      return countersign.memberPasskeys.create(await createPasskey(options, name.trim()))
    },
    onSuccess: () => {
      setName('')
      refreshData()
    },
  })
  return (
    <Panel title="Your passkeys">
      <Stack>
        {error && <ErrorState error={error} />}
        {!error && !data && <Loading lines={2} />}
        {data?.data.length === 0 && (
          <Text c="dimmed">
            No passkeys yet. A passkey signs you in without a code, and a phishing page cannot steal it.
          </Text>
        )}
        {data?.data.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} onDone={refreshData} />
        ))}
        <Group align="flex-end">
          <TextInput
            label="Name of a new passkey"
            placeholder="Laptop"
            maxLength={255}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
            Add a passkey
          </Button>
        </Group>
        {add.isError && <ErrorState error={add.error} />}
      </Stack>
    </Panel>
  )
}

type Passkey = Awaited<ReturnType<typeof countersign.memberPasskeys.list>>['data'][number]

function PasskeyRow({ passkey, onDone }: { readonly passkey: Passkey; readonly onDone: () => void }) {
  return (
    <Group justify="space-between">
      <div style={{ minWidth: 0 }}>
        <Text className="clipped">{passkey.name}</Text>
        <Text size="sm" c="dimmed">
          Created <Time clock="real" at={passkey.createdAt} />
          {passkey.lastUsedAt && (
            <>
              , last used <Time clock="real" at={passkey.lastUsedAt} />
            </>
          )}
        </Text>
      </div>
      <ActionButton
        label="Remove"
        successText="Passkey removed."
        color="red"
        size="xs"
        act={() => countersign.memberPasskeys.delete(passkey.id)}
        onDone={onDone}
        question={{
          title: 'Remove this passkey?',
          text: 'It no longer signs you in. The sessions that it started end, including this one if it is one of them.',
        }}
      />
    </Group>
  )
}

function Sessions() {
  const client = useQueryClient()
  const { member } = useMe()
  const key = ['member-sessions']
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: () => countersign.memberSessions.list({ memberId: member.id }),
  })
  return (
    <Panel title="Your sessions">
      <Stack>
        {error && <ErrorState error={error} />}
        {!error && !data && <Loading lines={2} />}
        {data?.data.map(({ id, method, address, userAgent, lastSeenAt, expiresAt, isCurrent }) => (
          <Group key={id} justify="space-between" align="flex-start" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Text>
                {isCurrent ? 'This browser' : formatConstant(method)} · {address}
              </Text>
              <Text size="sm" c="dimmed" className="clipped" title={userAgent}>
                {userAgent}
              </Text>
              <Text size="sm" c="dimmed">
                Last seen <Time clock="real" at={lastSeenAt} />, ends <Time clock="real" at={expiresAt} />
              </Text>
            </div>
            <ActionButton
              label="End"
              successText="Sign-in ended."
              size="xs"
              act={() => countersign.memberSessions.delete(id)}
              onDone={() => void client.invalidateQueries({ queryKey: key })}
            />
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}
