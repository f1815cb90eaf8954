import type { ItemOf } from '@countersign/sdk'
import { Stack, Title } from '@mantine/core'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { DecisionButtons } from './decision-buttons.tsx'
import { NewMovement, NewWithdrawal } from './new-payments.tsx'
import { RegisterAccount } from './register-account.tsx'
import { RotateKey } from './rotate-key.tsx'
import { TreasuryKeys } from './treasury-keys.tsx'
import { TreasuryMovements } from './treasury-movements.tsx'
import { useReloadOwnMoney } from './use-changed.ts'

type OwnAccount = ItemOf<'own_account_list'>
type Withdrawal = ItemOf<'platform_withdrawal_list'>

const ACCOUNTS: readonly Column<OwnAccount>[] = [
  {
    id: 'account',
    header: 'Account',
    width: 'minmax(9rem, 2fr)',
    cell: ({ account, address }) => <span className="clipped">{address ?? account}</span>,
  },
  { id: 'status', header: 'Status', width: '11rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'purpose',
    header: 'Purpose',
    width: '8rem',
    priority: 2,
    cell: ({ purpose }) => formatConstant(purpose),
  },
  {
    id: 'reason',
    header: 'Reason',
    width: 'minmax(7rem, 2fr)',
    priority: 2,
    cell: ({ reason }) => <span className="clipped">{reason}</span>,
  },
  {
    id: 'sweep',
    header: 'Next sweep',
    width: '9rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ nextSweepAt }) => nextSweepAt && <Time at={nextSweepAt} />,
  },
  {
    id: 'actions',
    header: '',
    width: '13rem',
    isRightAligned: true,
    cell: (account) => <AccountActions account={account} />,
  },
]

const WITHDRAWALS: readonly Column<Withdrawal>[] = [
  { id: 'created', header: 'Created', width: '9rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { id: 'status', header: 'Status', width: '11rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'source',
    header: 'Source',
    width: '8rem',
    priority: 2,
    cell: ({ source }) => formatConstant(source),
  },
  {
    id: 'reason',
    header: 'Reason',
    width: 'minmax(7rem, 2fr)',
    priority: 2,
    cell: ({ reason, error }) => <span className="clipped">{error?.message ?? reason}</span>,
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: ({ amount }) => <Money amount={amount} />,
  },
  {
    id: 'actions',
    header: '',
    width: '13rem',
    isRightAligned: true,
    cell: (withdrawal) => <DecisionButtons kind="withdrawals" record={withdrawal} />,
  },
]

/** The operator's own external accounts and the payments to them. */
export function OwnMoneyPage() {
  const accounts = usePagedList(['own-money', 'accounts'], (page) => countersign.ownAccounts.list(page))
  const withdrawals = usePagedList(['own-money', 'withdrawals'], (page) => countersign.withdrawals.list(page))
  return (
    <Page
      title="Own money"
      actions={
        <>
          <RotateKey />
          <RegisterAccount accounts={accounts} />
          <NewMovement accounts={accounts} />
          <NewWithdrawal accounts={accounts} />
        </>
      }
    >
      <Stack gap={4} component="section">
        <Title order={2} size="h3">
          Accounts of the operator
        </Title>
        <DataTable
          name="Accounts of the operator"
          columns={ACCOUNTS}
          list={accounts}
          getId={({ id }) => id}
          empty={{
            title: 'No account is registered',
            text: 'Use Register account to add a bank account or a cold storage address.',
          }}
        />
      </Stack>
      <Stack gap={4} component="section">
        <Title order={2} size="h3">
          Withdrawals
        </Title>
        <DataTable
          name="Withdrawals"
          columns={WITHDRAWALS}
          file={buildCsvUrl('/platform/withdrawals')}
          list={withdrawals}
          getId={({ id }) => id}
          empty={{ title: 'No withdrawals yet', text: 'Use New withdrawal to pay out fees or own capital.' }}
        />
      </Stack>
      <TreasuryMovements />
      <TreasuryKeys />
    </Page>
  )
}

function AccountActions({ account: { id, status, account, address } }: { readonly account: OwnAccount }) {
  const onDone = useReloadOwnMoney()
  const missingApprove = useMissingPermission('APPROVE')
  const missingManage = useMissingPermission('MANAGE')
  if (status === 'REMOVED') return null
  return (
    <>
      {status === 'AWAITING_APPROVAL' && (
        <ActionButton
          label="Approve"
          successText="Your approval of the account is recorded."
          disabledReason={missingApprove}
          act={async () => await countersign.ownAccounts.approve(id)}
          question={{
            title: 'Approve this account?',
            text: `The last required approval activates ${address ?? account}. Compare it with your own record first.`,
          }}
          onDone={onDone}
        />
      )}
      <ActionButton
        label="Remove"
        successText="Account removed."
        disabledReason={missingManage}
        act={async () => await countersign.ownAccounts.remove(id)}
        question={{
          title: 'Remove this account?',
          text: 'It receives no more payments, and its sweep stops.',
        }}
        onDone={onDone}
      />
    </>
  )
}
