import { EVENT_TYPES, type EventType } from '@countersign/contract/events/events'
import { Button, Group, MultiSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Secret } from './secret.tsx'

const TYPES = EVENT_TYPES.map((type) => ({ value: type, label: formatConstant(type) }))

interface Draft {
  readonly url: string
  readonly description: string
  readonly types: readonly EventType[]
  readonly isThin: boolean
  readonly isLatest: boolean
}

const EMPTY: Draft = { url: '', description: '', types: [], isThin: false, isLatest: false }

interface NewWebhookEndpointProps {
  readonly disabledReason: string | undefined
  readonly onDone: () => void
}

/** Adds an endpoint and shows the secret with which its events are signed. */
export function NewWebhookEndpoint({ disabledReason, onDone }: NewWebhookEndpointProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [draft, setDraft] = useState(EMPTY)
  const create = useMutation({ mutationFn: () => add(draft), onSuccess: onDone })
  const leave = () => {
    close()
    create.reset()
    setDraft(EMPTY)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <>
      <Button variant="default" disabled={disabledReason !== undefined} title={disabledReason} onClick={open}>
        New endpoint
      </Button>
      <FormDialog
        opened={isOpen}
        onClose={leave}
        isDirty={draft !== EMPTY && !create.isSuccess}
        title="New endpoint"
        size="lg"
      >
        {create.data ? (
          <EndpointSecret secret={create.data.secret} leave={leave} />
        ) : (
          <form onSubmit={submit}>
            <Stack>
              <Fields draft={draft} set={(change) => setDraft({ ...draft, ...change })} />
              {create.isError && <ErrorState error={create.error} />}
              <Group justify="flex-end">
                <Button type="submit" loading={create.isPending}>
                  Add the endpoint
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </FormDialog>
    </>
  )
}

function add({ url, description, types, isThin, isLatest }: Draft) {
  return countersign.webhookEndpoints.create({
    url,
    ...(description === '' ? {} : { description }),
    ...(types.length === 0 ? {} : { eventTypes: [...types] }),
    payload: isThin ? 'THIN' : 'FULL',
    latestBalanceOnly: isLatest,
  })
}

interface FieldsProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
}

function Fields({ draft: { url, description, types, isThin, isLatest }, set }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Address"
        type="url"
        required
        placeholder="https://example.com/webhooks"
        data-autofocus
        value={url}
        onChange={({ currentTarget }) => set({ url: currentTarget.value })}
      />
      <TextInput
        label="Description"
        maxLength={255}
        value={description}
        onChange={({ currentTarget }) => set({ description: currentTarget.value })}
      />
      <MultiSelect
        label="Types"
        placeholder={types.length === 0 ? 'All' : ''}
        data={TYPES}
        searchable
        value={[...types]}
        onChange={(chosen) => set({ types: EVENT_TYPES.filter((type) => chosen.includes(type)) })}
      />
      <Switch
        label="Without data"
        description="The server reads each record by its id."
        checked={isThin}
        onChange={({ currentTarget }) => set({ isThin: currentTarget.checked })}
      />
      <Switch
        label="Latest balance only"
        description="Only the latest pending balance of each account is sent."
        checked={isLatest}
        onChange={({ currentTarget }) => set({ isLatest: currentTarget.checked })}
      />
    </>
  )
}

function EndpointSecret({ secret, leave }: { readonly secret: string; readonly leave: () => void }) {
  return (
    <Stack>
      <Text>New events are sent there. This secret signs them: add it to that server’s settings.</Text>
      <Secret label="Endpoint secret" value={secret} />
      <Group justify="flex-end">
        <Button onClick={leave}>Done</Button>
      </Group>
    </Stack>
  )
}
