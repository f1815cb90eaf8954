import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Age, Deadline } from '../../ui/age.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { RecordId, shortenId } from '../../ui/record-id.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import type { Approval } from './approval.ts'
import { groupVotes } from './deposit-choice.ts'

/**
 * The information needed for a decision: requester, customer, payee, amount, why approval is needed, and
 * earlier votes.
 */
export function ApprovalFacts({ approval }: { readonly approval: Approval }) {
  const { kind, objectId, amount, policy, payee, expiresAt, createdAt, customerId, customerName } = approval
  const { transactionId } = approval
  return (
    <Facts
      items={[
        ['Amount', amount && <Money amount={amount} />],
        ['Payee', [payee?.name, payee?.account].filter(Boolean).join(', ')],
        [getRequesterTitle(approval), renderRequester(approval)],
        [
          'Customer',
          customerId && <TextLink to={`/customers/${customerId}`}>{customerName ?? customerId}</TextLink>,
        ],
        ['Reason', policy?.words],
        [
          'Payment',
          transactionId && (
            <TextLink to={`/transactions/${transactionId}`}>{shortenId(transactionId)}</TextLink>
          ),
        ],
        [
          'Batch',
          kind === 'PAYOUT_BATCH' && <TextLink to={`/payouts/${objectId}`}>{shortenId(objectId)}</TextLink>,
        ],
        [
          'Schedule',
          kind === 'PAYMENT_SCHEDULE' && (
            <TextLink to={`/schedules/${objectId}`}>{shortenId(objectId)}</TextLink>
          ),
        ],
        [
          'Remaining limits',
          policy?.remaining && policy.remaining.length > 0 && <Remaining limits={policy.remaining} />,
        ],
        ['Waiting for', <Age key="age" since={createdAt} />],
        ['Deadline', expiresAt && <Deadline at={expiresAt} />],
        ['Approved by', renderVotes(approval)],
        ['Signature', describeSignature(approval)],
        ['Id', <RecordId key="id" id={objectId} isShort />],
      ]}
    />
  )
}

type Limits = NonNullable<NonNullable<Approval['policy']>['remaining']>

function Remaining({ limits }: { readonly limits: Limits }) {
  return (
    <Group gap="md">
      {limits.map(({ limit, amount: left }) => (
        <span key={limit}>
          <Money amount={left} /> {limit === 'DAILY' ? 'of the day' : 'of the month'}
        </span>
      ))}
    </Group>
  )
}

function getRequesterTitle({ requestedBy }: Approval): string {
  return requestedBy?.type === 'SENDER' ? 'Sender' : 'Requested by'
}

function renderRequester({ requestedBy }: Approval): ReactNode {
  if (!requestedBy) return undefined
  const { type, id, name } = requestedBy
  if (type === 'AGENT' && id) return <TextLink to={`/agents/${id}`}>{name ?? id}</TextLink>
  return name ?? formatConstant(type)
}

/** Shows the votes so far. Votes on a deposit are grouped by choice. */
function renderVotes(approval: Approval): ReactNode {
  const { votesRequired, votes } = approval
  if (votesRequired === 1 && votes.length === 0) return undefined
  if (votes.length === 0) return `0 of ${votesRequired}`
  return groupVotes(approval).map(({ text, votes: choiceVotes }) => (
    <div key={text}>
      {choiceVotes.length} of {votesRequired}
      {text !== '' && ` for “${text}”`}: {choiceVotes.map(({ memberName }) => memberName).join(', ')}
    </div>
  ))
}

function describeSignature({ policy }: Approval): string | undefined {
  return policy?.rule.includes('walletSignature')
    ? 'Only the customer can approve this, with the key of their wallet. Request the signature in your app.'
    : undefined
}
