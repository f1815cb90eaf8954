import { SignatureRequiredError } from '@countersign/sdk'
import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { announce } from '../../ui/announce.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { useUnsavedGuard } from '../../ui/unsaved.tsx'
import type { Customer } from './customer.ts'
import {
  buildChange,
  type CustomerDraft,
  createDraft,
  findFieldError,
  getSections,
} from './customer-draft.ts'

/** A button and form to edit a customer's data. */
export function EditCustomer({ customer }: { readonly customer: Customer }) {
  const missingPermission = useMissingPermission('MANAGE')
  const client = useQueryClient()
  return (
    <DialogButton
      label="Edit"
      title="Edit the customer"
      variant="default"
      size="lg"
      disabledReason={missingPermission ?? (customer.isDeleted ? 'The customer is deleted.' : undefined)}
      onDone={() => {
        for (const noun of ['customers', 'audit', 'events', 'verifications'])
          void client.invalidateQueries({ queryKey: [noun] })
      }}
    >
      {({ onDone, setDirty }) => <EditForm customer={customer} onDone={onDone} setDirty={setDirty} />}
    </DialogButton>
  )
}

/** Saves the change. Throws a readable error if the customer's wallet has to sign it. */
async function save(customer: Customer, draft: CustomerDraft): Promise<void> {
  try {
    await countersign.customers.update(customer.id, buildChange(customer, draft))
  } catch (error) {
    if (error instanceof SignatureRequiredError)
      throw new Error(
        'Only the customer can change this e-mail address, because it is used to sign in to a wallet. Request the signature in your app. Nothing was saved.',
      )
    throw error
  }
}

function EditForm(props: {
  readonly customer: Customer
  readonly onDone: () => void
  readonly setDirty: (isDirty: boolean) => void
}) {
  const { customer, onDone, setDirty } = props
  // Captured when the form opens, because the record may be reloaded while it is open.
  const [initialDraft] = useState(() => createDraft(customer))
  const [draft, setDraft] = useState(initialDraft)
  const sections = getSections(customer)
  const names = sections.flatMap(([, fields]) => fields.map(([name]) => name))
  const isDirty = names.some((name) => draft[name].trim() !== initialDraft[name])
  const hasErrors = names.some((name) => findFieldError(name, initialDraft, draft) !== undefined)
  const { question } = useUnsavedGuard(isDirty)
  useEffect(() => setDirty(isDirty), [setDirty, isDirty])
  const update = useMutation({
    mutationFn: () => save(customer, draft),
    onSuccess: () => {
      announce('Customer saved.')
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    update.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        {sections.map(([title, fields]) => (
          <fieldset key={title} className="plain">
            <legend>{title}</legend>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
              {fields.map(([name, label, type = 'text']) => (
                <TextInput
                  key={name}
                  label={label}
                  type={type}
                  maxLength={255}
                  value={draft[name]}
                  error={findFieldError(name, initialDraft, draft)}
                  onChange={({ currentTarget }) => setDraft({ ...draft, [name]: currentTarget.value })}
                />
              ))}
            </SimpleGrid>
          </fieldset>
        ))}
        {update.isError && <ErrorState error={update.error} />}
        <Group justify="flex-end">
          <Button type="submit" disabled={!isDirty || hasErrors} loading={update.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
      {question}
    </form>
  )
}
