import { CURRENCIES } from '@countersign/contract/core/currencies'
import type { ExchangeRate as ExchangeRateSchema } from '@countersign/contract/payments/exchange-rates'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues } from '../../ui/filters.tsx'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { describeRate } from './quote.ts'

type ExchangeRate = Static<typeof ExchangeRateSchema>

const route = getRouteApi('/rates')
const CODES = Object.keys(CURRENCIES)

const FILTERS: readonly Filter[] = [
  { name: 'sourceCurrency', label: 'From', choices: CODES },
  { name: 'destinationCurrency', label: 'To', choices: CODES },
]

const getSentAmount = ({ sendingAmount, sourceCurrency }: ExchangeRate) => ({
  amount: sendingAmount,
  currency: sourceCurrency,
})
const getReceivedAmount = ({ receivingAmount, destinationCurrency }: ExchangeRate) => ({
  amount: receivingAmount,
  currency: destinationCurrency,
})
const getFees = ({ fees, sourceCurrency }: ExchangeRate) => ({ amount: fees.total, currency: sourceCurrency })
const formatRate = ({ exchangeRate, sourceCurrency, destinationCurrency }: ExchangeRate) =>
  describeRate(exchangeRate, sourceCurrency, destinationCurrency)

const COLUMNS: readonly Column<ExchangeRate>[] = [
  {
    id: 'rate',
    header: 'Rate without fees',
    width: 'minmax(12rem, 2fr)',
    cell: (row) => <span className="figures">{formatRate(row)}</span>,
  },
  {
    id: 'rail',
    header: 'By',
    width: 'minmax(6rem, 1fr)',
    cell: ({ destinationPaymentRail }) => (
      <span className="clipped">{formatConstant(destinationPaymentRail)}</span>
    ),
  },
  {
    id: 'sent',
    header: 'Sends',
    width: 'minmax(7rem, 1fr)',
    isRightAligned: true,
    priority: 2,
    cell: (row) => <Money amount={getSentAmount(row)} />,
  },
  {
    id: 'fees',
    header: 'Fees',
    width: 'minmax(7rem, 1fr)',
    isRightAligned: true,
    priority: 2,
    cell: (row) => <Money amount={getFees(row)} />,
  },
  {
    id: 'received',
    header: 'Receives',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    priority: 2,
    cell: (row) => <Money amount={getReceivedAmount(row)} />,
  },
  {
    id: 'updated',
    header: 'As of',
    width: '8rem',
    isRightAligned: true,
    priority: 3,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
]

/** The current cost of a conversion. */
export function Rates() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const { sourceCurrency, destinationCurrency } = search
  const filters = {
    ...(sourceCurrency ? { sourceCurrency } : {}),
    ...(destinationCurrency ? { destinationCurrency: [destinationCurrency] } : {}),
  }
  const list = usePagedList(['quotes', 'rates', filters], async () => ({
    ...(await countersign.exchangeRates.list(filters)),
    hasMore: false,
  }))
  return (
    <Page title="Rates" parent={{ title: 'Quotes', to: '/quotes' }}>
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Rates"
        file={buildCsvUrl('/exchange-rates', filters)}
        columns={COLUMNS}
        list={list}
        getId={(row) =>
          `${row.sourceCurrency.code} ${row.destinationCurrency.code} ${row.destinationPaymentRail}`
        }
        empty={{
          title: 'No rate',
          text: 'No rail supports this conversion, or your settings do not allow payments in this currency.',
        }}
      />
    </Page>
  )
}
