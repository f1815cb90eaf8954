import { Button, Group, Progress, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { clockQuery } from '../../data/clock-query.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ErrorState } from '../../ui/states.tsx'
import { formatExactTime } from '../../ui/time-format.ts'

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

const PARTS_MAX = 30

type Target = { readonly seconds: number } | { readonly to: string }

/**
 * Splits a long advance into parts of about a day, so that progress can be shown. The last part ends at the
 * target.
 */
function splitAdvance(target: Target, now: string): readonly Target[] {
  const seconds =
    'seconds' in target ? target.seconds : Math.floor((Date.parse(target.to) - Date.parse(now)) / 1000)
  const count = Math.min(PARTS_MAX, Math.max(1, Math.ceil(seconds / DAY)))
  const part = Math.floor(seconds / count)
  const last = 'seconds' in target ? { seconds: seconds - part * (count - 1) } : target
  return [...Array.from({ length: count - 1 }, () => ({ seconds: part })), last]
}

/** Advances the clock part by part and counts the parts. */
function useAdvance(changed: () => void) {
  const client = useQueryClient()
  const [progress, setProgress] = useState<{ readonly done: number; readonly total: number }>()
  const advance = useMutation({
    mutationFn: async ({ target, now }: { readonly target: Target; readonly now: string }) => {
      const parts = splitAdvance(target, now)
      for (const [done, part] of parts.entries()) {
        setProgress({ done, total: parts.length })
        client.setQueryData(clockQuery.queryKey, await countersign.sandbox.advanceClock(part))
      }
    },
    // An interrupted advance has also changed data.
    onSettled: () => {
      setProgress(undefined)
      changed()
    },
  })
  return { advance, progress }
}

/** The platform's clock, which can only be moved forward. */
export function Clock({ onChange: changed }: { readonly onChange: () => void }) {
  const disabledReason = useMissingPermission('TRANSACT')
  const { data } = useQuery(clockQuery)
  const { advance, progress } = useAdvance(changed)
  return (
    <Stack>
      <div>
        <Text size="sm" c="dimmed">
          It is
        </Text>
        <Text fw={600} mih={24} aria-live="polite">
          {data ? formatExactTime(data.now) : ''}
        </Text>
      </div>
      <Text size="sm">
        Advancing the clock does everything that falls due on the way: payments settle, quotes and sessions
        expire, webhooks are tried again. It never goes back; Reset, under Data, sets it to real time.
      </Text>
      <Group gap="xs">
        {STEPS.map(([label, seconds]) => (
          <Button
            key={label}
            variant="default"
            disabled={disabledReason !== undefined}
            title={disabledReason}
            loading={advance.isPending}
            onClick={() => data && advance.mutate({ target: { seconds }, now: data.now })}
          >
            + {label}
          </Button>
        ))}
      </Group>
      <MoveTo
        isDisabled={disabledReason !== undefined}
        isMoving={advance.isPending}
        move={(to) => data && advance.mutate({ target: { to }, now: data.now })}
      />
      {progress && progress.total > 1 && (
        <div>
          <Progress value={(100 * progress.done) / progress.total} aria-label="Progress" />
          <Text size="sm" c="dimmed" role="status">
            {progress.done} of {progress.total} parts of the way
          </Text>
        </div>
      )}
      {advance.isError && <ErrorState error={advance.error} />}
    </Stack>
  )
}

function MoveTo(props: {
  readonly isDisabled: boolean
  readonly isMoving: boolean
  readonly move: (to: string) => void
}) {
  const { isDisabled, isMoving, move } = props
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
        <Button type="submit" variant="default" disabled={isDisabled} loading={isMoving}>
          Move
        </Button>
      </Group>
    </form>
  )
}
