import { EVENT_TYPES, type EventType } from '@countersign/contract/events/events'
import { Button, Group, Modal, MultiSelect, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ErrorState } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'

const TYPES = EVENT_TYPES.map((type) => ({ value: type, label: formatConstant(type) }))

/** Redelivers the events since a given time, for example after an outage of the platform's server. */
export function ReplayButton() {
  const [isOpen, { open, close }] = useDisclosure(false)
  const disabledReason = useMissingPermission('TRANSACT')
  return (
    <>
      <Tooltip label={disabledReason} disabled={disabledReason === undefined}>
        <Button
          variant="default"
          {...(disabledReason === undefined ? {} : { 'data-disabled': true })}
          aria-disabled={disabledReason !== undefined}
          onClick={disabledReason === undefined ? open : undefined}
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

interface Span {
  readonly from: string
  readonly to: string
  readonly types: readonly EventType[]
}

/** Counts the events first, so that the member knows how many the server will receive. */
function ReplayForm({ close }: { readonly close: () => void }) {
  const [span, setSpan] = useState<Span>({ from: '', to: '', types: [] })
  const client = useQueryClient()
  const count = useMutation({
    mutationFn: () => countersign.events.replay({ ...buildRequest(span), countOnly: true }),
  })
  const replay = useMutation({
    mutationFn: () => countersign.events.replay(buildRequest(span)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['events'] }),
  })
  const change = (changes: Partial<Span>) => {
    setSpan({ ...span, ...changes })
    count.reset()
    replay.reset()
  }
  const events = count.data?.events ?? 0
  return (
    <Stack>
      <SpanFields span={span} change={change} />
      {(replay.isError || count.isError) && <ErrorState error={replay.error ?? count.error} />}
      <div role="status">
        {replay.isSuccess
          ? `Redelivering ${describeCount(replay.data.events)}.`
          : count.isSuccess && describeFound(events)}
      </div>
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Close
        </Button>
        {events === 0 ? (
          <Button disabled={span.from === ''} loading={count.isPending} onClick={() => count.mutate()}>
            Count events
          </Button>
        ) : (
          <Button disabled={replay.isSuccess} loading={replay.isPending} onClick={() => replay.mutate()}>
            Deliver {describeCount(events)} again
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function buildRequest({ from, to, types }: Span) {
  return {
    startDate: new Date(from).toISOString(),
    ...(to ? { endDate: new Date(to).toISOString() } : {}),
    ...(types.length > 0 ? { types: [...types] } : {}),
  }
}

interface SpanFieldsProps {
  readonly span: Span
  readonly change: (changes: Partial<Span>) => void
}

function SpanFields({ span: { from, to, types }, change }: SpanFieldsProps) {
  return (
    <>
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
        onChange={({ currentTarget }) => change({ from: currentTarget.value })}
      />
      <TextInput
        label="To"
        description="Leave empty for the current time."
        type="datetime-local"
        value={to}
        onChange={({ currentTarget }) => change({ to: currentTarget.value })}
      />
      <MultiSelect
        label="Types"
        placeholder={types.length === 0 ? 'All' : ''}
        data={TYPES}
        searchable
        value={[...types]}
        onChange={(chosen) => change({ types: EVENT_TYPES.filter((type) => chosen.includes(type)) })}
      />
    </>
  )
}

function describeFound(events: number): string {
  return events === 0
    ? 'No events match. Choose other times or types.'
    : `${describeCount(events)} ${events === 1 ? 'matches' : 'match'}.`
}

function describeCount(events: number): string {
  return events === 1 ? '1 event' : `${events.toLocaleString()} events`
}
