import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { Secret } from '../settings/secret.tsx'
import { type Customer, formatCustomerName, getVerificationState } from './customer.ts'

/**
 * Starts or submits a customer's verification, and creates a link with which the customer can complete it.
 */
export function VerificationActions({ customer }: { readonly customer: Customer }) {
  const { id, isDeleted } = customer
  const missingPermission = useMissingPermission('MANAGE')
  const client = useQueryClient()
  const navigate = useNavigate()
  const state = getVerificationState(customer)
  const isDecided = state === 'APPROVED' || state === 'REJECTED'
  const disabledReason =
    missingPermission ??
    (isDeleted ? 'The customer is deleted.' : undefined) ??
    (isDecided ? `The customer is ${formatConstant(state).toLowerCase()} already.` : undefined)
  const refreshData = () => {
    for (const noun of ['verifications', 'customers', 'events', 'audit'])
      void client.invalidateQueries({ queryKey: [noun] })
  }
  const start = async () => {
    const verification = await countersign.verifications.create({ customerId: id })
    await navigate({ to: '/verifications/$verificationId', params: { verificationId: verification.id } })
  }
  return (
    <Group gap="xs">
      <ActionButton
        label="Start verification"
        successText="The verification has started."
        size="xs"
        disabledReason={disabledReason}
        act={start}
        onDone={refreshData}
      />
      <DialogButton
        label="Send a link"
        title="Link to the verification page"
        variant="default"
        buttonSize="xs"
        disabledReason={disabledReason}
        onDone={refreshData}
      >
        {() => <LinkForm customer={customer} />}
      </DialogButton>
    </Group>
  )
}

function LinkForm({ customer }: { readonly customer: Customer }) {
  const createLink = useMutation({ mutationFn: async () => await countersign.kycLinks.create(customer.id) })
  if (createLink.data === undefined)
    return (
      <Stack gap="md">
        <span>
          On the page {formatCustomerName(customer)} enters what is missing, adds documents and submits the
          verification. The link can be opened once, within 24 hours. Anyone who has it can open it.
        </span>
        {createLink.isError && <ErrorState error={createLink.error} />}
        <Group justify="flex-end">
          <Button loading={createLink.isPending} onClick={() => createLink.mutate()}>
            Create link
          </Button>
        </Group>
      </Stack>
    )
  const { kycUrl, expiresAt } = createLink.data
  return (
    <Stack gap="md">
      <Secret label="Verification link" value={kycUrl} />
      <Text size="sm" c="dimmed">
        Valid until <Time at={expiresAt} />
      </Text>
      {customer.email !== undefined && (
        <Anchor href={buildMailtoLink(customer.email, kycUrl)}>Write an e-mail to {customer.email}</Anchor>
      )}
    </Stack>
  )
}

/** Opens the member's mail program, because the platform does not send this message. */
function buildMailtoLink(email: string, url: string): string {
  const subject = encodeURIComponent('Verify your identity')
  const body = encodeURIComponent(`Please complete your verification here: ${url}`)
  return `mailto:${encodeURIComponent(email)}?subject=${subject}&body=${body}`
}
