import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { useIsSandbox, useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { toLinkTarget } from '../../ui/target.ts'

const CURRENCY = 'USD'

/** Creates a sandbox bank whose statement differs from the books, and opens the day of that statement. */
export function ExampleBankButton() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const disabledReason = useMissingPermission('TRANSACT')
  if (!useIsSandbox()) return null
  return (
    <ActionButton
      label="Create an example bank"
      variant="default"
      disabledReason={disabledReason}
      successText="The bank has made a deposit and sent a statement that differs from the books."
      act={async () => {
        const { reconciliationId } = await countersign.sandbox.exampleBank({ currency: CURRENCY })
        void client.invalidateQueries({ queryKey: ['reconciliations'] })
        await navigate(toLinkTarget(`/reconciliations/${reconciliationId}`))
      }}
    />
  )
}
