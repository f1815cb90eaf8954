import type { LedgerAccount as LedgerAccountSchema } from '@countersign/contract/books/ledger'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { CURRENCY_CODES } from '../../ui/amount-filters.ts'
import type { Column } from '../../ui/column.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Filter, Filters, keepValidValues } from '../../ui/filters.tsx'
import { RecordName } from '../../ui/listed-name.tsx'
import { Money } from '../../ui/money.tsx'
import { Page } from '../../ui/page.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { usePagedList } from '../../ui/use-listed.ts'

type LedgerAccount = Static<typeof LedgerAccountSchema>

const route = getRouteApi('/ledger')

const FILTERS: readonly Filter[] = [
  { name: 'name', label: 'Name of an own account' },
  { name: 'currency', label: 'Currency', choices: CURRENCY_CODES, formatLabel: (code) => code },
  { name: 'owner', label: 'Owner id' },
]

const getPostedAmount = ({ posted, currency }: LedgerAccount) => ({ amount: posted, currency })
const getHeldAmount = ({ held, currency }: LedgerAccount) => ({ amount: held, currency })

const COLUMNS: readonly Column<LedgerAccount>[] = [
  {
    id: 'name',
    header: 'Account',
    width: 'minmax(9rem, 2fr)',
    cell: ({ name, id }) =>
      name === undefined ? (
        <span className="id clipped">{shortenId(id)}</span>
      ) : (
        <span className="clipped">{formatConstant(name.toUpperCase())}</span>
      ),
  },
  {
    id: 'owner',
    header: 'Owner',
    width: 'minmax(8rem, 1fr)',
    priority: 2,
    cell: ({ owner }) => (owner.startsWith('Platform:') ? 'The platform' : <RecordName id={owner} />),
  },
  {
    id: 'side',
    header: 'Side',
    width: '5rem',
    priority: 3,
    cell: ({ normalSide }) => formatConstant(normalSide.toUpperCase()),
  },
  {
    id: 'held',
    header: 'Held',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    priority: 2,
    cell: (row) => <Money amount={getHeldAmount(row)} />,
  },
  {
    id: 'posted',
    header: 'Balance',
    width: 'minmax(9rem, 1fr)',
    isRightAligned: true,
    cell: (row) => <Money amount={getPostedAmount(row)} />,
  },
]

/**
 * The double-entry ledger. In each currency, the debit accounts and the credit accounts have the same total.
 */
export function LedgerList() {
  const search = keepValidValues(FILTERS, route.useSearch())
  const { name, currency, owner } = search
  const filters = {
    ...(name ? { name } : {}),
    ...(currency ? { currency } : {}),
    ...(owner ? { owner } : {}),
  }
  const list = usePagedList(['accounts', 'ledger', filters], (page) =>
    countersign.ledgerAccounts.list({ ...filters, ...page, includeNames: true }),
  )
  return (
    <Page title="Ledger" actions={<TextLink to="/ledger/journal">Journal</TextLink>}>
      <Filters filters={FILTERS} values={search} />
      <DataTable
        name="Ledger accounts"
        file={buildCsvUrl('/ledger/accounts', filters)}
        columns={COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/accounts/${id}`}
        empty={{
          title: Object.keys(filters).length > 0 ? 'No matching accounts' : 'No accounts yet',
          text: 'Customers have accounts as soon as they are created. Search by ledger names, such as fees or rail.',
        }}
      />
    </Page>
  )
}
