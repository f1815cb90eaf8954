import { Button, Group, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { useUnsavedGuard } from '../../ui/unsaved.tsx'
import { formatJson } from '../../ui/words.ts'

/** The platform's configuration, as returned by the API. */
export type Config = Awaited<ReturnType<typeof countersign.config.get>>
type Change = Parameters<typeof countersign.config.update>[0]

const KEY = ['config'] as const

/** Loads the platform's configuration. */
export function useConfig() {
  return useQuery({ queryKey: KEY, queryFn: () => countersign.config.get() })
}

interface SettingsFormProps<Draft> {
  readonly title: string
  readonly text?: ReactNode
  /** Creates the form's initial values. */
  readonly createDraft: (config: Config) => Draft
  /** Builds the request body. */
  readonly buildChange: (draft: Draft) => Change
  /** True if the draft can be saved. Default: always. */
  readonly isReady?: (draft: Draft) => boolean
  readonly children: (draft: Draft, set: (change: Partial<Draft>) => void, config: Config) => ReactNode
}

/**
 * A group of platform settings that are saved together. Input is kept until it has been saved, even if the
 * server rejects it.
 */
export function SettingsForm<Draft>(props: SettingsFormProps<Draft>) {
  const { data: config, error, refetch } = useConfig()
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  return (
    <Panel title={props.title}>{config ? <Form {...props} config={config} /> : <Loading lines={4} />}</Panel>
  )
}

function Form<Draft>(props: SettingsFormProps<Draft> & { readonly config: Config }) {
  const { text, createDraft, buildChange, isReady, children, config } = props
  const [draft, setDraft] = useState(() => createDraft(config))
  const client = useQueryClient()
  const disabledReason = useMissingPermission('MANAGE')
  const save = useMutation({
    mutationFn: () => countersign.config.update(buildChange(draft)),
    onSuccess: (savedConfig) => {
      client.setQueryData(KEY, savedConfig)
      setDraft(createDraft(savedConfig))
    },
  })
  const isDirty = formatJson(draft) !== formatJson(createDraft(config))
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
    <form onSubmit={submit}>
      {question}
      <fieldset disabled={disabledReason !== undefined} className="plain">
        <Stack maw={560}>
          {text && <div className="soft">{text}</div>}
          {children(draft, set, config)}
          {save.isError && <ErrorState error={save.error} />}
          <Group>
            <Button
              type="submit"
              loading={save.isPending}
              disabled={disabledReason !== undefined || isReady?.(draft) === false}
            >
              Save
            </Button>
            <span className="soft" role="status">
              {disabledReason ?? (isDirty ? 'Unsaved changes.' : save.isSuccess ? 'Saved.' : '')}
            </span>
          </Group>
        </Stack>
      </fieldset>
    </form>
  )
}

/** Splits a text into lines and drops empty ones. */
export function splitLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
