import { Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionMenu, type MenuAction } from '../../ui/action-menu.tsx'
import { CustomerName } from '../../ui/customer-name.tsx'
import { Facts } from '../../ui/facts.tsx'
import { formatDebtor, type Mandate } from './mandate.tsx'

/** Buttons that end a mandate, now or with the next collection. */
export function MandateActions({ mandate }: { readonly mandate: Mandate }) {
  const { id, status, isFinal } = mandate
  const client = useQueryClient()
  const missingPermission = useMissingPermission('MANAGE')
  const disabledReason =
    missingPermission ?? (status === 'ACTIVE' ? undefined : 'Only an active mandate can be canceled.')
  const onDone = () => void client.invalidateQueries({ queryKey: ['mandates'] })
  const now: MenuAction = {
    label: 'Cancel mandate',
    successText: 'Mandate canceled.',
    disabledReason,
    act: async (reason) => await countersign.mandates.cancel(id, { reason }),
    question: {
      title: 'Cancel this mandate?',
      text: (
        <CancellationFacts
          mandate={mandate}
          text="No further direct debits are collected. Direct debits already at the bank, or waiting for the next file, continue."
        />
      ),
      needsReason: true,
    },
    onDone,
  }
  const later: MenuAction = {
    label: 'Cancel after the next collection',
    successText: 'The next collection will be the last one.',
    disabledReason: disabledReason ?? (isFinal ? 'The next collection is already the last one.' : undefined),
    act: async (reason) => await countersign.mandates.cancel(id, { reason, afterNextCollection: true }),
    question: {
      title: 'Cancel after the next collection?',
      text: (
        <CancellationFacts
          mandate={mandate}
          text="The mandate stays active for one more collection, which is marked as the last."
        />
      ),
      needsReason: true,
    },
    onDone,
  }
  return <ActionMenu actions={[now, later]} />
}

/** Shows what a cancellation does, and which customer and account it affects. */
function CancellationFacts({ mandate, text }: { readonly mandate: Mandate; readonly text: string }) {
  const { customerId, reference } = mandate
  return (
    <Stack gap="sm">
      <span>{text}</span>
      <Facts
        items={[
          ['Customer', customerId === undefined ? 'The platform' : <CustomerName id={customerId} />],
          ['Account', formatDebtor(mandate)],
          ['Mandate', reference],
        ]}
      />
    </Stack>
  )
}
