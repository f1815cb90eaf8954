import type { Permission } from '@countersign/contract/core/endpoint'
import { keysOf } from '@countersign/contract/core/objects'
import {
  NOTIFICATION_CHANNELS,
  NOTIFICATION_TOPICS,
  type NotificationTopic,
} from '@countersign/contract/operation/member-notifications'
import { Button, Checkbox, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { meQuery, useMe } from '../../session/me.ts'
import { Panel } from '../../ui/page.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { useUnsavedGuard } from '../../ui/unsaved.tsx'
import { formatJson } from '../../ui/words.ts'

type Draft = ReturnType<typeof useMe>['notifications']

const CHANNEL_WORDS = {
  NONE: 'Not at all',
  EMAIL: 'By e-mail',
  WEBHOOK: "By the platform's webhooks",
} as const

const TOPIC_WORDS: Readonly<Record<NotificationTopic, string>> = {
  APPROVALS: 'Approvals and screenings',
  VERIFICATIONS: 'Verifications',
  DEPOSITS: 'Unassigned deposits',
  DIFFERENCES: 'Unreconciled days and unmatched rail reports',
}

const INTERVALS = [
  [15, '15 minutes'],
  [60, 'hour'],
  [240, '4 hours'],
  [1_440, 'day'],
] as const

/** The member's notification settings. */
export function Notifications() {
  const { member, notifications } = useMe()
  const client = useQueryClient()
  const [draft, setDraft] = useState<Draft>(notifications)
  const isDirty = formatJson(draft) !== formatJson(notifications)
  const save = useMutation({
    mutationFn: () => countersign.members.updateMe({ notifications: draft }),
    onSuccess: (me) => client.setQueryData(meQuery.queryKey, me),
  })
  const { question } = useUnsavedGuard(isDirty && !save.isPending)
  const set = (change: Partial<Draft>) => {
    save.reset()
    setDraft({ ...draft, ...change })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Panel title="Notifications">
      <form onSubmit={submit}>
        {question}
        <Stack maw={560}>
          <NativeSelect
            label="Notify me about pending work"
            value={draft.channel}
            onChange={({ currentTarget: { value } }) => {
              const channel = NOTIFICATION_CHANNELS.find((candidate) => candidate === value)
              if (channel) set({ channel })
            }}
            data={NOTIFICATION_CHANNELS.map((value) => ({ value, label: CHANNEL_WORDS[value] }))}
          />
          {draft.channel !== 'NONE' && (
            <DigestFields draft={draft} set={set} ownPermissions={member.permissions} />
          )}
          {save.isError && <ErrorState error={save.error} />}
          <Group>
            <Button type="submit" loading={save.isPending} disabled={draft.topics.length === 0}>
              Save
            </Button>
            <span className="soft" role="status">
              {isDirty ? 'Unsaved changes.' : save.isSuccess ? 'Saved.' : ''}
            </span>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}

/** The topics and interval of a member's digests. */
function DigestFields({
  draft,
  set,
  ownPermissions,
}: {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
  readonly ownPermissions: readonly Permission[]
}) {
  return (
    <>
      <Checkbox.Group
        label="About"
        value={draft.topics}
        onChange={(chosen) =>
          set({ topics: keysOf(NOTIFICATION_TOPICS).filter((topic) => chosen.includes(topic)) })
        }
      >
        <Stack gap="xs" mt="xs">
          {keysOf(NOTIFICATION_TOPICS).map((topic) => (
            <Checkbox
              key={topic}
              value={topic}
              label={TOPIC_WORDS[topic]}
              description={
                ownPermissions.includes(NOTIFICATION_TOPICS[topic])
                  ? undefined
                  : `You do not have the permission ${NOTIFICATION_TOPICS[topic]}, so nothing of this kind waits for you.`
              }
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label="At most once per"
        value={String(draft.intervalMinutes)}
        onChange={({ currentTarget }) => set({ intervalMinutes: Number(currentTarget.value) })}
        data={listIntervals(draft.intervalMinutes)}
      />
      <Text size="sm" c="dimmed">
        New work is reported in one message, with counts and a link to the approvals: no names, no amounts.
      </Text>
    </>
  )
}

/** The offered intervals, plus the current one if it was set through the API. */
function listIntervals(minutes: number) {
  const offered = INTERVALS.map(([value, label]) => ({ value: String(value), label }))
  return INTERVALS.some(([value]) => value === minutes)
    ? offered
    : [...offered, { value: String(minutes), label: `${minutes} minutes` }]
}
