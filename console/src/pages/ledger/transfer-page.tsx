import { Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { getPagePath } from '../../app/page-paths.ts'
import { countersign } from '../../data/client.ts'
import { Facts } from '../../ui/facts.tsx'
import { formatMoney, Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Raw } from '../../ui/raw.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { type Booking, formatSide } from './bookings.tsx'

type Explanation = Awaited<ReturnType<typeof countersign.ledgerTransfers.explain>>

const route = getRouteApi('/ledger/transfers/$transferId')
const PARENT = { title: 'Ledger', to: '/ledger' }

/** A booking and the steps that led to it, starting with the person who authorized it. */
export function TransferPage() {
  const { transferId } = route.useParams()
  const query = useQuery({
    queryKey: ['accounts', 'transfer', transferId],
    queryFn: () => countersign.ledgerTransfers.explain(transferId),
  })
  return (
    <RecordPage query={query} title="Booking" parent={PARENT}>
      {(record) => <BookingDetail explanation={record} />}
    </RecordPage>
  )
}

function BookingDetail({ explanation: { transfer, steps } }: { readonly explanation: Explanation }) {
  return (
    <Page
      title={`${formatMoney(transfer.amount)} booked`}
      aside={<Status state={transfer.state.toUpperCase()} />}
      parent={PARENT}
    >
      <RecordId id={transfer.id} />
      <div className="halves">
        <Panel title="Booking">
          <Facts
            items={[
              ['Debited', <Side key="debit" side={transfer.debit} />],
              ['Credited', <Side key="credit" side={transfer.credit} />],
              ['Amount', <Money key="amount" amount={transfer.amount} />],
              ['Created', <Time key="created" at={transfer.createdAt} />],
              ['Posted or voided', transfer.endedAt && <Time at={transfer.endedAt} />],
            ]}
          />
        </Panel>
        <Panel title="Reason for the booking">
          <Timeline bulletSize={12} lineWidth={2} active={steps.length}>
            {steps.map(({ step, id, at, summary, signature }) => (
              <Timeline.Item key={`${step} ${id}`} title={<StepTitle step={step} id={id} />}>
                <div className="anywhere">{summary}</div>
                <span className="soft">
                  <Time at={at} />
                </span>
                {signature && <Raw value={signature} />}
              </Timeline.Item>
            ))}
          </Timeline>
        </Panel>
      </div>
    </Page>
  )
}

function Side({ side }: { readonly side: Booking['debit'] }) {
  return <TextLink to={`/accounts/${side.accountId}`}>{formatSide(side)}</TextLink>
}

function StepTitle({ step, id }: { readonly step: string; readonly id: string }) {
  const words = formatConstant(step)
  return step === 'TRANSACTION' || step === 'QUOTE' ? (
    <TextLink to={getPagePath(step, id)}>{words}</TextLink>
  ) : (
    words
  )
}
