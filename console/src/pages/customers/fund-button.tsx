import { useQueryClient } from '@tanstack/react-query'
import { useDenied, useIsSandbox } from '../../session/me.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import { FundForm } from '../sandbox/fund.tsx'

type Accounts = Parameters<typeof FundForm>[0]['accounts']

/** Adds test money to one of the customer's accounts. Only in a sandbox. */
export function FundButton({ accounts }: { readonly accounts: Accounts }) {
  const denied = useDenied('TRANSACT')
  const client = useQueryClient()
  if (!useIsSandbox()) return null
  const refreshData = () => void client.invalidateQueries()
  return (
    <DialogButton
      label="Fund"
      title="Fund an account"
      variant="default"
      buttonSize="xs"
      denied={denied ?? (accounts.length === 0 ? 'The customer has no account.' : undefined)}
      onDone={refreshData}
    >
      {({ setDirty }) => (
        <FundForm
          accounts={accounts}
          labelOf={({ type, balance }) => `${wordsOf(type)} in ${balance.currency.code}`}
          onChange={() => {
            setDirty(false)
            refreshData()
          }}
        />
      )}
    </DialogButton>
  )
}
