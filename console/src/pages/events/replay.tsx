import { EVENT_TYPES, type EventType } from '@countersign/contract/events/events'
import { Button, Group, Modal, MultiSelect, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ErrorState } from '../../ui/states.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'

const TYPES = EVENT_TYPES.map((type) => ({ value: type, label: wordsOf(type) }))

/** Delivers again what happened from a moment on, such as after an outage of the platform's server. */
export function ReplayButton() {
  const [isOpen, { open, close }] = useDisclosure(false)
  const denied = useDenied('TRANSACT')
  return (
    <>
      <Tooltip label={denied} disabled={denied === undefined}>
        <Button
          variant="default"
          {...(denied === undefined ? {} : { 'data-disabled': true })}
          aria-disabled={denied !== undefined}
          onClick={denied === undefined ? open : undefined}
        >
          Deliver again from …
        </Button>
      </Tooltip>
      <Modal opened={isOpen} onClose={close} title="Deliver events again" centered keepMounted>
        <ReplayForm close={close} />
      </Modal>
    </>
  )
}

function ReplayForm({ close }: { readonly close: () => void }) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [types, setTypes] = useState<EventType[]>([])
  const client = useQueryClient()
  const replay = useMutation({
    mutationFn: () =>
      countersign.events.replay({
        startDate: new Date(from).toISOString(),
        ...(to ? { endDate: new Date(to).toISOString() } : {}),
        ...(types.length > 0 ? { types } : {}),
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['events'] }),
  })
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Each event is sent again under its own id, in the order in which it happened. Your server knows by the
        id what it has received before.
      </Text>
      <TextInput
        label="From"
        description="In your time zone"
        type="datetime-local"
        required
        value={from}
        onChange={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <TextInput
        label="To"
        description="Empty: until now"
        type="datetime-local"
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
      />
      <MultiSelect
        label="Types"
        placeholder={types.length === 0 ? 'All' : ''}
        data={TYPES}
        searchable
        value={types}
        onChange={(chosen) => setTypes(EVENT_TYPES.filter((type) => chosen.includes(type)))}
      />
      {replay.isError && <ErrorState error={replay.error} />}
      {replay.isSuccess && <div role="status">{describeReplay(replay.data.events)}</div>}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Close
        </Button>
        <Button disabled={from === ''} loading={replay.isPending} onClick={() => replay.mutate()}>
          Deliver again
        </Button>
      </Group>
    </Stack>
  )
}

function describeReplay(events: number): string {
  if (events === 0) return 'There is no event in this time.'
  return events === 1 ? '1 event is being delivered again.' : `${events} events are being delivered again.`
}
