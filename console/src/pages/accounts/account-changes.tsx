import { ACCOUNT_CHANGE_TRANSITIONS } from '@countersign/contract/states/account-change-states'
import type { ItemOf } from '@countersign/sdk'
import { Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { Column } from '../../ui/column.ts'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'

type Change = ItemOf<'account_change_list'>
type Field = Change['changes'][number]

/** Number of changes shown, newest first. */
const ROWS_MAX = 10

const FIELDS: readonly Column<Field>[] = [
  { id: 'field', header: 'Field', width: '10rem', cell: ({ field }) => formatFieldName(field) },
  { id: 'before', header: 'On record', width: 'minmax(9rem, 1fr)', cell: ({ before }) => before ?? '–' },
  { id: 'after', header: 'Reported', width: 'minmax(9rem, 1fr)', cell: ({ after }) => after },
]

/** Changed account details that banks have reported for an external account. */
export function AccountChanges({ accountId }: { readonly accountId: string }) {
  const query = useQuery({
    queryKey: ['accounts', accountId, 'changes'],
    queryFn: async () =>
      (await countersign.accountChanges.list({ externalAccountId: accountId, limit: ROWS_MAX })).data,
  })
  if (query.data?.length === 0) return null
  return (
    <QueryResult query={query} lines={2}>
      {(changes) => changes.map((change) => <ChangePanel key={change.id} change={change} />)}
    </QueryResult>
  )
}

function ChangePanel({ change }: { readonly change: Change }) {
  const { id, status, changes, code, message, rail, transactionId, createdAt, decidedAt, reason } = change
  return (
    <Panel
      title="Details reported by the bank"
      actions={
        <Group gap="xs">
          <Decisions change={change} />
          <Status state={status} />
        </Group>
      }
    >
      <ShortTable
        name={`Details of ${id}`}
        rows={changes}
        getId={({ field }) => field}
        empty="The details were erased."
        columns={FIELDS}
      />
      <Facts
        items={[
          ['Report', [code, message].filter(Boolean).join(': ') || formatConstant('account.changed')],
          ['Rail', rail],
          ['Payment', <TextLink to={`/transactions/${transactionId}`}>{transactionId}</TextLink>],
          ['Reported', <Time at={createdAt} />],
          ['Decided', decidedAt && <Time at={decidedAt} />],
          ['Reason', reason],
        ]}
      />
    </Panel>
  )
}

function Decisions({ change: { id, status, externalAccountId } }: { readonly change: Change }) {
  const client = useQueryClient()
  const permissionProblem = useMissingPermission('APPROVE')
  const onDone = () => void client.invalidateQueries({ queryKey: ['accounts', externalAccountId] })
  if (ACCOUNT_CHANGE_TRANSITIONS[status].apply === null) return null
  return (
    <>
      <ActionButton
        size="xs"
        disabledReason={permissionProblem}
        label="Apply"
        successText="Your decision to apply the details is recorded."
        question={{
          title: 'Apply these details?',
          text: 'Confirm with the payee first, using contact details that are not in the report. New payments will go to the reported details.',
          needsReason: true,
        }}
        act={async (text) => await countersign.accountChanges.apply(id, { reason: text })}
        onDone={onDone}
      />
      <ActionButton
        size="xs"
        disabledReason={permissionProblem}
        label="Dismiss"
        successText="Your decision to dismiss the report is recorded."
        question={{
          title: 'Dismiss this report?',
          text: 'The account keeps its current details, and payments to it resume.',
          needsReason: true,
        }}
        act={async (text) => await countersign.accountChanges.dismiss(id, { reason: text })}
        onDone={onDone}
      />
    </>
  )
}

/** Converts `accountNumber` to `Account number`. */
function formatFieldName(field: string): string {
  const words = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
