import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { Panel } from '../../ui/page.tsx'
import { RecordId, shortId } from '../../ui/record-id.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import type { Approval } from './approval.ts'
import { ApprovalActions } from './approval-actions.tsx'

const TITLES: Readonly<Record<Approval['kind'], string>> = {
  AGENT_ACTION: 'An agent wants to pay',
  INCOMING_PAYMENT: 'A payment to a customer',
  SCREENING: 'An address is on a list',
  DEPOSIT: 'Money that nobody could attribute',
  RAIL_EVENT: 'A report that fits nothing',
  PAYOUT_BATCH: 'A batch of payouts',
  PAYMENT_SCHEDULE: 'A payment schedule',
}

/** One thing to decide: who asks, for whom, to whom, how much, why a person is asked, and who has approved. */
export function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const { kind, amount, policy, payee, expiresAt, createdAt, customerId, customerName, votes } = approval
  return (
    <Panel title={TITLES[kind]} actions={amount && <Amount of={amount} />}>
      <Facts
        of={[
          ['Asked by', asker(approval)],
          [
            'For',
            customerId && <TextLink to={`/customers/${customerId}`}>{customerName ?? customerId}</TextLink>,
          ],
          ['To', [payee?.name, payee?.account].filter(Boolean).join(', ')],
          ['Why you are asked', policy?.words],
          [
            'Payment',
            approval.transactionId && (
              <TextLink to={`/transactions/${approval.transactionId}`}>
                {shortId(approval.transactionId)}
              </TextLink>
            ),
          ],
          [
            'Batch',
            kind === 'PAYOUT_BATCH' && (
              <TextLink to={`/payouts/${approval.objectId}`}>{shortId(approval.objectId)}</TextLink>
            ),
          ],
          [
            'Schedule',
            kind === 'PAYMENT_SCHEDULE' && (
              <TextLink to={`/schedules/${approval.objectId}`}>{shortId(approval.objectId)}</TextLink>
            ),
          ],
          [
            'Left of the limits',
            policy?.remaining && policy.remaining.length > 0 && (
              <Group gap="md">
                {policy.remaining.map(({ limit, amount: left }) => (
                  <span key={limit}>
                    <Money of={left} /> {limit === 'DAILY' ? 'of the day' : 'of the month'}
                  </span>
                ))}
              </Group>
            ),
          ],
          ['Since', <Time key="since" at={createdAt} />],
          ['Too late after', expiresAt && <Time at={expiresAt} />],
          ['Approved by', votesOf(approval, votes)],
          ['Signature', signatureOf(approval)],
          ['Id', <RecordId key="id" id={approval.objectId} isShort />],
        ]}
      />
      <Group gap="xs" mt="md">
        <ApprovalActions approval={approval} />
      </Group>
    </Panel>
  )
}

function Amount({ of }: { readonly of: NonNullable<Approval['amount']> }) {
  return (
    <strong>
      <Money of={of} />
    </strong>
  )
}

function asker({ requestedBy }: Approval): ReactNode {
  if (!requestedBy) return undefined
  const { type, id, name } = requestedBy
  if (type === 'AGENT' && id) return <TextLink to={`/agents/${id}`}>{name ?? id}</TextLink>
  return name ?? wordsOf(type)
}

function votesOf({ votesRequired }: Approval, votes: Approval['votes']): ReactNode {
  if (votesRequired === 1 && votes.length === 0) return undefined
  const names = votes.map(({ memberName }) => memberName).join(', ')
  return `${votes.length} of ${votesRequired}${names === '' ? '' : `: ${names}`}`
}

function signatureOf({ policy }: Approval): string | undefined {
  return policy?.rule.includes('walletSignature')
    ? 'The customer has to sign with the key of the wallet. Have your app ask for it: nobody of the platform can.'
    : undefined
}
