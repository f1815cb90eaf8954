import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { formatMoney } from '../../ui/money.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Raw } from '../../ui/raw.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { Status } from '../../ui/status.tsx'
import { Decisions } from '../decisions/decision-list.tsx'
import { Bookings } from '../ledger/bookings.tsx'
import { getAmount, type TransactionRecord } from './columns.tsx'
import { describeRefund, explainFailure } from './reasons.ts'
import { History } from './timeline.tsx'
import { TransactionActions } from './transaction-actions.tsx'
import { TransactionFacts } from './transaction-facts.tsx'

const route = getRouteApi('/transactions/$transactionId')
const PARENT = { title: 'Transactions', to: '/transactions' }
const NOT_BOOKED = {
  OUTGOING: 'Nothing was booked: no money has moved.',
  INCOMING: 'No entries here. The deposit has the ledger entries.',
}

export function TransactionPage() {
  const { transactionId } = route.useParams()
  const query = useQuery({
    queryKey: ['transactions', transactionId],
    queryFn: () => countersign.transactions.get(transactionId),
  })
  return (
    <RecordPage query={query} title="Transaction" parent={PARENT}>
      {(record) => <TransactionDetail transaction={record} />}
    </RecordPage>
  )
}

function TransactionDetail({ transaction }: { readonly transaction: TransactionRecord }) {
  const { id, status, direction } = transaction
  return (
    <Page
      title={`${formatMoney(getAmount(transaction))} ${direction === 'DEBIT' ? 'out' : 'in'}`}
      aside={<Status state={status} />}
      actions={<TransactionActions transaction={transaction} />}
      parent={PARENT}
    >
      <RecordId id={id} />
      <FailureNotice transaction={transaction} />
      <div className="columns">
        <div className="stacked">
          <TransactionFacts transaction={transaction} />
          <Bookings cause={id} empty={NOT_BOOKED[transaction.type]} />
        </div>
        <div className="stacked">
          <History transaction={transaction} />
          <Decisions transaction={transaction} />
        </div>
      </div>
      <Raw value={transaction} />
    </Page>
  )
}

/** Explains why a payment failed, what to do, and what happened to the money. */
function FailureNotice({ transaction }: { readonly transaction: TransactionRecord }) {
  const failure = explainFailure(transaction)
  const refund = describeRefund(transaction)
  if (!failure && !refund) return null
  const isFailed = transaction.status === 'FAILED'
  return (
    <Notice tone={isFailed ? 'failed' : 'ended'} title={isFailed ? 'Failure reason' : 'Details'}>
      {failure && <span>{failure.message}</span>}
      {refund && <span>{refund}</span>}
      {failure && <span className="soft">{failure.advice}</span>}
    </Notice>
  )
}
