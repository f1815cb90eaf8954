import { Button, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Facts } from '../../ui/facts.tsx'
import { type Amount, Money } from '../../ui/money.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { describeCounterparty, type TransactionRecord } from '../transactions/columns.tsx'
import { type DecisionBody, OUTCOME_WORDS } from './decision.ts'

interface ConfirmationProps {
  readonly transaction: TransactionRecord
  readonly amount: Amount
  readonly body: DecisionBody
  readonly isPending: boolean
  readonly error: Error | null
  readonly back: () => void
  readonly confirm: () => void
}

/** Confirms a decision: shows the amount, the payee and the effect, and that it is final. */
export function Confirmation(props: ConfirmationProps) {
  const { transaction, amount, body, isPending, error, back, confirm } = props
  const { label, effect } = OUTCOME_WORDS[body.outcome]
  const payee = usePayeeName(transaction)
  const charge = body.charge && { amount: body.charge.amount, currency: amount.currency }
  return (
    <Stack gap="md">
      <Facts
        items={[
          ['Amount', <Money key="amount" amount={amount} />],
          ['Payee', payee],
          ['Outcome', label],
          ['Charge (your cost)', charge && <Money amount={charge} />],
          ['Reason', body.reason],
        ]}
      />
      <span>{effect} This cannot be undone.</span>
      {error && <ErrorState error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={back}>
          Back
        </Button>
        <Button color="red" loading={isPending} onClick={confirm}>
          Confirm decision
        </Button>
      </Group>
    </Stack>
  )
}

/** The holder of the account being paid, if known; otherwise the account. */
function usePayeeName(transaction: TransactionRecord): string {
  const { destination } = transaction
  const accountId = 'accountId' in destination ? destination.accountId : ''
  const { data } = useQuery({
    queryKey: ['accounts', accountId],
    queryFn: () => countersign.externalAccounts.get(accountId),
    enabled: accountId.startsWith('ExternalAccount:'),
  })
  const info = data?.accountInfo
  const beneficiary = info && 'beneficiary' in info ? info.beneficiary : undefined
  const name =
    beneficiary && 'fullName' in beneficiary
      ? beneficiary.fullName
      : beneficiary && 'legalName' in beneficiary
        ? beneficiary.legalName
        : undefined
  return [name, describeCounterparty(transaction)].filter(Boolean).join(', ')
}
