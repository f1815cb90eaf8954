import { findWord } from '@countersign/contract/core/objects'
import { VERIFICATION_ERROR_TYPES } from '@countersign/contract/customers/verifications'
import { Button, Group, NativeSelect, Stack, Textarea } from '@mantine/core'
import { useMutation, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { announce } from '../../ui/announce.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import type { Verification } from './verification.ts'

interface RequestProps {
  readonly verification: Verification
  readonly holders: readonly { readonly id: string; readonly name: string }[]
  readonly disabledReason: string | undefined
  readonly onDone: () => void
}

/** Requests another item from the customer: what it concerns, what is wrong, and a message. */
export function RequestButton({ disabledReason, onDone, ...rest }: RequestProps) {
  return (
    <DialogButton
      label="Request information"
      title="What is needed?"
      variant="default"
      disabledReason={disabledReason}
      onDone={onDone}
    >
      {(dialog) => <RequestForm {...rest} close={dialog.close} onDone={dialog.onDone} />}
    </DialogButton>
  )
}

type ErrorType = (typeof VERIFICATION_ERROR_TYPES)[number]

function RequestForm(props: Omit<RequestProps, 'disabledReason'> & { readonly close: () => void }) {
  const { verification, holders, close, onDone } = props
  const { id, submission, customerId } = verification
  const [resourceId, setResourceId] = useState(customerId)
  const [type, setType] = useState<ErrorType>('INVALID_DOCUMENT')
  const [reason, setReason] = useState('')
  const request = useMutation({
    mutationFn: async () =>
      await countersign.verifications.decide(id, {
        decision: 'REQUEST_INFORMATION',
        errors: [{ resourceId, type, reason: reason.trim() }],
        ...(submission > 0 ? { submission } : {}),
      }),
    onSuccess: () => {
      announce('Requested the information.')
      onDone()
    },
  })
  return (
    <Stack gap="md">
      <NativeSelect
        label="About"
        value={resourceId}
        onChange={({ currentTarget }) => setResourceId(currentTarget.value)}
        data={useSubjects(holders)}
      />
      <NativeSelect
        label="Problem"
        value={type}
        onChange={({ currentTarget }) =>
          setType(findWord(VERIFICATION_ERROR_TYPES, currentTarget.value) ?? type)
        }
        data={VERIFICATION_ERROR_TYPES.map((type) => ({ value: type, label: formatConstant(type) }))}
      />
      <Textarea
        label="In words"
        description="The customer reads it on the verification page."
        autosize
        minRows={2}
        maxLength={500}
        data-autofocus
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      {request.isError && <ErrorState error={request.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button disabled={reason.trim() === ''} loading={request.isPending} onClick={() => request.mutate()}>
          Request information
        </Button>
      </Group>
    </Stack>
  )
}

/** Possible subjects of a request: the customer, the owners, and their documents. */
function useSubjects(holders: RequestProps['holders']): readonly { value: string; label: string }[] {
  const documents = useQueries({
    queries: holders.map((holder) => ({
      queryKey: ['verifications', 'documents', holder.id],
      queryFn: () => countersign.documents.list({ documentHolder: holder.id, limit: 100 }),
    })),
  })
  return [
    ...holders.map((holder) => ({ value: holder.id, label: holder.name })),
    ...documents.flatMap(({ data }) =>
      (data?.data ?? []).map((document) => ({
        value: document.id,
        label: `${formatConstant(document.documentType)}: ${document.fileName}`,
      })),
    ),
  ]
}
