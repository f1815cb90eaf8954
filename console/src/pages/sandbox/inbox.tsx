import { Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

const MESSAGES_MAX = 50
const TYPING_MS = 250
const POLL_MS = 3_000

/** The e-mails and text messages that would have been sent in production. */
export function Inbox() {
  const [input, setInput] = useState('')
  const [recipient] = useDebouncedValue(input.trim(), TYPING_MS)
  const { data, error } = useQuery({
    queryKey: ['inbox', recipient],
    queryFn: async () =>
      await countersign.sandbox.inbox({ limit: MESSAGES_MAX, ...(recipient ? { recipient } : {}) }),
    // Polled, because messages emit no events.
    refetchInterval: POLL_MS,
  })
  return (
    <Stack>
      <TextInput
        label="Sent to"
        placeholder="Whole e-mail address or phone number"
        type="search"
        maxLength={255}
        value={input}
        onChange={({ currentTarget }) => setInput(currentTarget.value)}
      />
      {error && <ErrorState error={error} />}
      {!error && !data && <Loading />}
      {data?.data.length === 0 && (
        <EmptyState title="No messages">
          Codes requested by customers and members arrive here. The sandbox does not send them.
        </EmptyState>
      )}
      {data?.data.map(({ id, recipient: to, subject, text, status, createdAt }) => (
        <article key={id} className="panel">
          <header>
            <Text size="sm" fw={600} className="clipped" title={to}>
              {to}
            </Text>
            <Group gap="xs">
              <Status state={status} />
              <Text size="sm" c="dimmed" component="span">
                <Time at={createdAt} />
              </Text>
            </Group>
          </header>
          <div className="body">
            {subject && <Text fw={600}>{subject}</Text>}
            <Text size="sm" style={{ whiteSpace: 'pre-wrap' }} className="anywhere">
              {text}
            </Text>
          </div>
        </article>
      ))}
    </Stack>
  )
}
