import type { ReactNode } from 'react'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { type Approval, KIND_WORDS, partyText } from './approval.ts'

/** The text of a confirmation: the amount, the payee, and the effect of the decision. */
export function Confirmed(props: { readonly approval: Approval; readonly children: ReactNode }) {
  const { approval, children } = props
  const { kind, amount, customerName, payee, policy } = approval
  const party = partyText(approval)
  return (
    <div className="stacked">
      <Facts
        of={[
          ['Amount', amount && <Money of={amount} />],
          ['Payee', [payee?.name, payee?.account].filter(Boolean).join(', ')],
          ['Sender', party.startsWith('from ') && party.slice('from '.length)],
          ['Customer', customerName],
          [
            'About',
            kind === 'PAYOUT_BATCH' || kind === 'RAIL_EVENT'
              ? (policy?.words ?? KIND_WORDS[kind])
              : undefined,
          ],
        ]}
      />
      <span>{children}</span>
    </div>
  )
}
