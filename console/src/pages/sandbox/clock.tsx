import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { clockQuery } from '../../data/clock-query.ts'
import { useDenied } from '../../session/me.ts'
import { ErrorState } from '../../ui/states.tsx'
import { exactTime } from '../../ui/time-format.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const STEPS = [
  ['1 minute', MINUTE],
  ['6 minutes', 6 * MINUTE],
  ['1 hour', HOUR],
  ['1 day', DAY],
  ['7 days', 7 * DAY],
] as const

/** The clock of the platform, which only goes forward. */
export function Clock({ changed }: { readonly changed: () => void }) {
  const denied = useDenied('TRANSACT')
  const client = useQueryClient()
  const { data } = useQuery(clockQuery)
  const advance = useMutation({
    mutationFn: (target: { seconds: number } | { to: string }) => countersign.sandbox.advanceClock(target),
    onSuccess: (clock) => {
      client.setQueryData(clockQuery.queryKey, clock)
      changed()
    },
  })
  return (
    <Stack>
      <div>
        <Text size="sm" c="dimmed">
          It is
        </Text>
        <Text fw={600} mih={24} aria-live="polite">
          {data ? exactTime(data.now) : ''}
        </Text>
      </div>
      <Text size="sm">
        Moving the clock does everything that falls due on the way: payments settle, quotes and sessions
        expire, webhooks are tried again. It never goes back; Reset, under Data, sets it to real time.
      </Text>
      <Group gap="xs">
        {STEPS.map(([label, seconds]) => (
          <Button
            key={label}
            variant="default"
            disabled={denied !== undefined}
            title={denied}
            loading={advance.isPending}
            onClick={() => advance.mutate({ seconds })}
          >
            + {label}
          </Button>
        ))}
      </Group>
      <MoveTo
        isDenied={denied !== undefined}
        isMoving={advance.isPending}
        move={(to) => advance.mutate({ to })}
      />
      {advance.isError && <ErrorState error={advance.error} />}
    </Stack>
  )
}

function MoveTo(props: {
  readonly isDenied: boolean
  readonly isMoving: boolean
  readonly move: (to: string) => void
}) {
  const { isDenied, isMoving, move } = props
  const [to, setTo] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    move(new Date(to).toISOString())
  }
  return (
    <form onSubmit={submit}>
      <Group align="flex-end">
        <TextInput
          label="Or to"
          type="datetime-local"
          required
          value={to}
          onChange={({ currentTarget }) => setTo(currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={isDenied} loading={isMoving}>
          Move
        </Button>
      </Group>
    </form>
  )
}
