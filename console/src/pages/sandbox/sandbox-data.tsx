import { Button, Progress, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState } from '../../ui/states.tsx'

/** Fills the platform with example data, or deletes all of its data. */
export function Data({ onChange: changed }: { readonly onChange: () => void }) {
  const disabledReason = useMissingPermission('MANAGE')
  return (
    <Stack>
      <Seed disabledReason={disabledReason} onChange={changed} />
      <Panel title="Empty the sandbox">
        <Stack align="flex-start">
          <Text size="sm">
            This removes all records of the platform and resets its clock to the present. Settings, API tokens
            and members stay.
          </Text>
          <ActionButton
            label="Reset"
            successText="The sandbox is empty again."
            color="red"
            disabledReason={disabledReason}
            act={() => countersign.sandbox.reset()}
            onDone={changed}
            question={{
              title: 'Reset the sandbox?',
              text: 'Customers, accounts, payments, cards and agents of this platform are permanently deleted.',
            }}
          />
        </Stack>
      </Panel>
    </Stack>
  )
}

function Seed({
  disabledReason,
  onChange: changed,
}: {
  readonly disabledReason: string | undefined
  readonly onChange: () => void
}) {
  const [progress, setProgress] = useState<{
    readonly done: number
    readonly total: number
    readonly words: string
  }>()
  const seed = useMutation({
    mutationFn: async () => {
      // Loaded on use, because only a sandbox needs it.
      const { seedSandbox } = await import('@countersign/sdk/testing')
      await seedSandbox(countersign, { onProgress: setProgress })
    },
    onSuccess: changed,
  })
  return (
    <Panel title="Fill it with examples">
      <Stack align="flex-start">
        <Text size="sm">
          Creates customers with accounts, two weeks of payments, cards with purchases, agents that ask for
          approval, and a verification, all by the API. The clock moves two weeks ahead. Takes some seconds.
        </Text>
        <Button
          variant="default"
          disabled={disabledReason !== undefined}
          title={disabledReason}
          loading={seed.isPending}
          onClick={() => seed.mutate()}
        >
          Seed
        </Button>
        {seed.isPending && progress && (
          <div style={{ width: '100%' }}>
            <Progress value={(100 * progress.done) / progress.total} aria-label="Progress" />
            <Text size="sm" c="dimmed" role="status">
              {progress.words}
            </Text>
          </div>
        )}
        {seed.isSuccess && (
          <Text size="sm" role="status">
            Done. The overview shows it.
          </Text>
        )}
        {seed.isError && <ErrorState error={seed.error} />}
      </Stack>
    </Panel>
  )
}
