import { Button, FileInput, Group, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { toLinkTarget } from '../../ui/target.ts'
import type { PayoutBatch } from './payout.ts'

/** A button that uploads a payout file to be checked, then opens its batch, which can be paid there. */
export function SendFile() {
  const disabledReason = useMissingPermission('TRANSACT')
  const client = useQueryClient()
  const navigate = useNavigate()
  return (
    <DialogButton
      label="Send a file"
      title="Send a file of payouts"
      disabledReason={disabledReason}
      onDone={() => void client.invalidateQueries({ queryKey: ['payouts'] })}
    >
      {({ onDone }) => (
        <FileForm
          onSent={({ id }) => {
            onDone()
            void navigate(toLinkTarget(`/payouts/${id}`))
          }}
        />
      )}
    </DialogButton>
  )
}

/**
 * A file and the idempotency key of its upload. A retry uses the same key, so it does not create a second
 * batch.
 */
interface Draft {
  readonly file: File | null
  readonly name: string
  readonly idempotencyKey: string
}

function FileForm({ onSent }: { readonly onSent: (batch: PayoutBatch) => void }) {
  const [draft, setDraft] = useState<Draft>(() => createDraft(null, ''))
  const { file, name } = draft
  const send = useMutation({
    mutationFn: async ({ file, name, idempotencyKey }: Draft & { readonly file: File }) =>
      await countersign.payoutBatches.createFromFile(
        { file, ...(name.trim() === '' ? {} : { name: name.trim() }) },
        { idempotencyKey },
      ),
    onSuccess: onSent,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file) send.mutate({ ...draft, file })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <FileInput
          label="CSV file"
          description="A comma-separated UTF-8 file. The first row names the columns: currency, amount, reference, and accountId or the fields of accountInfo."
          placeholder="Choose a file"
          accept=".csv,text/csv"
          required
          clearable
          clearButtonProps={{ 'aria-label': 'Remove the file' }}
          value={file}
          onChange={(chosen) => setDraft(createDraft(chosen, name || getDefaultName(chosen)))}
        />
        <TextInput
          label="Name"
          description="A display name for the batch"
          maxLength={100}
          value={name}
          onChange={({ currentTarget }) => setDraft(createDraft(file, currentTarget.value))}
        />
        <span>Every line is checked first. Nothing is paid until a member pays the batch.</span>
        {send.error && <ErrorState error={send.error} />}
        <Group justify="flex-end">
          <Button type="submit" variant="filled" disabled={file === null} loading={send.isPending}>
            Send and check
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function createDraft(file: File | null, name: string): Draft {
  return { file, name, idempotencyKey: crypto.randomUUID() }
}

function getDefaultName(file: File | null): string {
  return (file?.name ?? '').replace(/\.csv$/i, '').slice(0, 100)
}
