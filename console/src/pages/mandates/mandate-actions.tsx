import { Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionMenu, type MenuAction } from '../../ui/action-menu.tsx'
import { CustomerName } from '../../ui/customer-name.tsx'
import { Facts } from '../../ui/facts.tsx'
import { debtorText, type Mandate } from './mandate.tsx'

/** Buttons that end a mandate, now or with the next collection. */
export function MandateActions({ mandate }: { readonly mandate: Mandate }) {
  const { id, status, isFinal } = mandate
  const client = useQueryClient()
  const missingPermission = useDenied('MANAGE')
  const denied =
    missingPermission ?? (status === 'ACTIVE' ? undefined : 'Only an active mandate can be canceled.')
  const onDone = () => void client.invalidateQueries({ queryKey: ['mandates'] })
  const now: MenuAction = {
    label: 'Cancel mandate',
    done: 'Canceled the mandate.',
    denied,
    act: async (reason) => await countersign.mandates.cancel(id, { reason }),
    ask: {
      title: 'Cancel this mandate?',
      text: (
        <Affected
          mandate={mandate}
          text="Nothing more is collected by it. Direct debits that the bank has, or that wait for the next file, continue."
        />
      ),
      needsReason: true,
    },
    onDone,
  }
  const later: MenuAction = {
    label: 'Cancel after the next collection',
    done: 'The next collection is the last.',
    denied: denied ?? (isFinal ? 'The next collection is the last already.' : undefined),
    act: async (reason) => await countersign.mandates.cancel(id, { reason, afterNextCollection: true }),
    ask: {
      title: 'Cancel after the next collection?',
      text: (
        <Affected
          mandate={mandate}
          text="It stays active for one more collection, which is marked as the last."
        />
      ),
      needsReason: true,
    },
    onDone,
  }
  return <ActionMenu actions={[now, later]} />
}

/** Shows what a cancellation does, and which customer and account it affects. */
function Affected({ mandate, text }: { readonly mandate: Mandate; readonly text: string }) {
  const { customerId, reference } = mandate
  return (
    <Stack gap="sm">
      <span>{text}</span>
      <Facts
        of={[
          ['Customer', customerId === undefined ? 'The platform' : <CustomerName id={customerId} />],
          ['Account', debtorText(mandate)],
          ['Mandate', reference],
        ]}
      />
    </Stack>
  )
}
