import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/page.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { PermissionChoice, type PermissionName } from './permission-choice.tsx'
import { Secret } from './secret.tsx'

const KEY = ['tokens'] as const
const TOKENS_MAX = 100

/** API tokens, the credentials of the platform's backends. */
export function Tokens() {
  const disabledReason = useMissingPermission('MANAGE')
  const client = useQueryClient()
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: async () => await countersign.tokens.list({ limit: TOKENS_MAX }),
  })
  const refreshData = () => void client.invalidateQueries({ queryKey: KEY })
  return (
    <Panel title="API tokens" actions={<NewToken disabledReason={disabledReason} onDone={refreshData} />}>
      {error && <ErrorState error={error} />}
      {!error && !data && <Loading />}
      <Stack gap="md">
        {data?.data.map(({ id, name, permissions, createdAt }) => (
          <Group key={id} justify="space-between" align="flex-start" gap="sm">
            <div style={{ minWidth: 0, flex: '1 1 16rem' }}>
              <Text fw={600} className="clipped" title={name}>
                {name}
              </Text>
              <RecordId id={id} />
              <Text size="sm" c="dimmed">
                {permissions.join(', ')} · created <Time at={createdAt} />
              </Text>
            </div>
            <ActionButton
              label="Delete"
              successText="Token deleted. Requests with it are refused from now on."
              color="red"
              size="xs"
              disabledReason={disabledReason}
              act={() => countersign.tokens.delete(id)}
              onDone={refreshData}
              question={{
                title: `Delete ${name}?`,
                text: 'Requests with this token will be refused. Programs that use it stop working.',
              }}
            />
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}

type Made = Awaited<ReturnType<typeof countersign.tokens.create>>

function NewToken({
  disabledReason,
  onDone,
}: {
  readonly disabledReason: string | undefined
  readonly onDone: () => void
}) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [name, setName] = useState('')
  const [permissions, setPermissions] = useState<readonly PermissionName[]>(['VIEW'])
  const create = useMutation({
    mutationFn: () => countersign.tokens.create({ name, permissions: [...permissions] }),
    onSuccess: onDone,
  })
  const [isTouched, setTouched] = useState(false)
  const leave = () => {
    close()
    create.reset()
    setTouched(false)
    setName('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const { data: newToken } = create
  return (
    <>
      <Button variant="default" disabled={disabledReason !== undefined} title={disabledReason} onClick={open}>
        New token
      </Button>
      <FormDialog
        opened={isOpen}
        onClose={leave}
        isDirty={isTouched && !newToken}
        onTouched={() => setTouched(true)}
        title={newToken ? 'Your new token' : 'New token'}
        size="lg"
      >
        {newToken ? (
          <NewSecret token={newToken} onClose={leave} />
        ) : (
          <form onSubmit={submit}>
            <Stack>
              <NameField value={name} set={setName} />
              <PermissionChoice value={permissions} onChange={setPermissions} />
              {create.isError && <ErrorState error={create.error} />}
              <Group justify="flex-end">
                <Button type="submit" loading={create.isPending} disabled={permissions.length === 0}>
                  Make the token
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </FormDialog>
    </>
  )
}

/** The credentials of a new token, which are shown only once. */
function NewSecret({ token, onClose }: { readonly token: Made; readonly onClose: () => void }) {
  return (
    <Stack>
      <Text>The secret is shown only once. Add both to the settings of your backend.</Text>
      <Secret label="tokenId" value={token.id} />
      <Secret label="clientSecret" value={token.clientSecret ?? ''} />
      <Group justify="flex-end">
        <Button onClick={onClose}>I have kept it</Button>
      </Group>
    </Stack>
  )
}

function NameField({ value, set }: { readonly value: string; readonly set: (name: string) => void }) {
  return (
    <TextInput
      label="Name"
      description="Name the program that uses it, so that colleagues recognize it later."
      required
      maxLength={255}
      data-autofocus
      value={value}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  )
}
