import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { AccountLink } from '../../ui/account-name.tsx'
import { Facts } from '../../ui/facts.tsx'
import { formatMoney, Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Raw } from '../../ui/raw.tsx'
import { RecordId, shortenId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { Status } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { describeRate, getReceivedAmount, getSentAmount, type Quote } from './quote.ts'

const route = getRouteApi('/quotes/$quoteId')
const PARENT = { title: 'Quotes', to: '/quotes' }

export function QuotePage() {
  const { quoteId } = route.useParams()
  const query = useQuery({ queryKey: ['quotes', quoteId], queryFn: () => countersign.quotes.get(quoteId) })
  return (
    <RecordPage query={query} title="Quote" parent={PARENT}>
      {(record) => <QuoteDetail quote={record} />}
    </RecordPage>
  )
}

function QuoteDetail({ quote }: { readonly quote: Quote }) {
  const { id, status, sendingCurrency, receivingCurrency } = quote
  return (
    <Page
      title={`${formatMoney(getSentAmount(quote))} for ${formatMoney(getReceivedAmount(quote))}`}
      aside={<Status state={status} />}
      parent={PARENT}
    >
      <RecordId id={id} />
      <div className="halves">
        <Panel title="Price">
          <Facts
            items={[
              ['Sends, with fees', <Money key="pays" amount={getSentAmount(quote)} />],
              ['Receives', <Money key="receives" amount={getReceivedAmount(quote)} />],
              ['Rate', describeRate(quote.exchangeRate, sendingCurrency, receivingCurrency)],
              [
                'Fees',
                <Money key="fees" amount={{ amount: quote.feesIncluded, currency: sendingCurrency }} />,
              ],
              ['Created', <Time key="created" at={quote.createdAt} />],
              ['Valid until', <Time key="until" at={quote.expiresAt} />],
            ]}
          />
        </Panel>
        <Panel title="Payment">
          <Facts
            items={[
              ['From', <Source key="from" source={quote.source} />],
              ['To', <Destination key="to" destination={quote.destination} />],
              [
                'Transaction',
                <TextLink key="transaction" to={`/transactions/${quote.transactionId}`}>
                  {shortenId(quote.transactionId)}
                </TextLink>,
              ],
            ]}
          />
        </Panel>
      </div>
      <Raw value={quote} />
    </Page>
  )
}

function Source({ source }: { readonly source: Quote['source'] }) {
  if (source.sourceType === 'REALTIME_FUNDING') return `Paid in ${source.currency} from outside`
  return <AccountLink id={source.accountId} />
}

function Destination({ destination }: { readonly destination: Quote['destination'] }) {
  if (destination.destinationType === 'UMA_ADDRESS') return destination.umaAddress
  return <AccountLink id={destination.accountId} />
}
