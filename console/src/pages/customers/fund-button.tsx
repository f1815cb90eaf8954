import { useQueryClient } from '@tanstack/react-query'
import { useIsSandbox, useMissingPermission } from '../../session/me.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { FundForm } from '../sandbox/fund.tsx'

type Accounts = Parameters<typeof FundForm>[0]['accounts']

/** Adds test money to one of the customer's accounts. Only in a sandbox. */
export function FundButton({ accounts }: { readonly accounts: Accounts }) {
  const disabledReason = useMissingPermission('TRANSACT')
  const client = useQueryClient()
  if (!useIsSandbox()) return null
  const refreshData = () => void client.invalidateQueries()
  return (
    <DialogButton
      label="Fund"
      title="Fund an account"
      variant="default"
      buttonSize="xs"
      disabledReason={disabledReason ?? (accounts.length === 0 ? 'The customer has no accounts.' : undefined)}
      onDone={refreshData}
    >
      {({ setDirty }) => (
        <FundForm
          accounts={accounts}
          formatLabel={({ type, balance }) => `${formatConstant(type)} in ${balance.currency.code}`}
          onChange={() => {
            setDirty(false)
            refreshData()
          }}
        />
      )}
    </DialogButton>
  )
}
