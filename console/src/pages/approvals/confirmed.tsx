import type { ReactNode } from 'react'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { type Approval, describeParty, KIND_LABELS } from './approval.ts'

/** The content of a confirmation dialog: the facts of the approval, and the effect of the decision. */
export function ApprovalSummary(props: { readonly approval: Approval; readonly children: ReactNode }) {
  const { approval, children } = props
  const { kind, amount, customerName, payee, policy } = approval
  const party = describeParty(approval)
  return (
    <div className="stacked">
      <Facts
        items={[
          ['Amount', amount && <Money amount={amount} />],
          ['Payee', [payee?.name, payee?.account].filter(Boolean).join(', ')],
          ['Sender', party.startsWith('from ') && party.slice('from '.length)],
          ['Customer', customerName],
          [
            'Reason',
            kind === 'PAYOUT_BATCH' || kind === 'RAIL_EVENT'
              ? (policy?.words ?? KIND_LABELS[kind])
              : undefined,
          ],
        ]}
      />
      <span>{children}</span>
    </div>
  )
}
