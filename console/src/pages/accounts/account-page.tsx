import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { buildCsvUrl } from '../../data/csv-address.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { usePagedList } from '../../ui/use-listed.ts'
import { BOOKING_COLUMNS } from '../ledger/bookings.tsx'
import { AccountHolds } from './account-holds.tsx'
import { ExternalAccountPage } from './external-account-page.tsx'
import { StatementPanel } from './statement.tsx'

type Account = Awaited<ReturnType<typeof countersign.ledgerAccounts.get>>

const route = getRouteApi('/accounts/$accountId')
const PARENT = { title: 'Ledger', to: '/ledger' }

/**
 * An account, found by any of its ids. Ledger accounts and customer accounts share this page; external
 * accounts have their own.
 */
export function AccountPage() {
  const { accountId } = route.useParams()
  return accountId.startsWith('ExternalAccount:') ? (
    <ExternalAccountPage accountId={accountId} />
  ) : (
    <OwnAccount accountId={accountId} />
  )
}

function OwnAccount({ accountId }: { readonly accountId: string }) {
  const query = useQuery({
    queryKey: ['accounts', accountId],
    queryFn: () => countersign.ledgerAccounts.get(accountId, {}),
  })
  return (
    <RecordPage query={query} title="Account" parent={PARENT}>
      {(record) => <AccountDetail accountId={accountId} account={record} />}
    </RecordPage>
  )
}

function AccountDetail(props: { readonly accountId: string; readonly account: Account }) {
  const { accountId, account } = props
  const list = usePagedList(['accounts', accountId, 'bookings'], (page) =>
    countersign.ledgerTransfers.list({ accountId, ...page }),
  )
  const { name, currency, owner, posted, held, normalSide, isClosed } = account
  return (
    <Page
      title={
        name === undefined
          ? `${currency.code} account`
          : `${formatConstant(name.toUpperCase())} in ${currency.code}`
      }
      aside={<Status state={isClosed ? 'CLOSED' : 'ACTIVE'} />}
      parent={PARENT}
    >
      <RecordId id={accountId} />
      <Panel title="Balance">
        <Facts
          items={[
            ['Posted', <Money key="posted" amount={{ amount: posted, currency }} />],
            ['Held', <Money key="held" amount={{ amount: held, currency }} />],
            ['Normal balance', formatConstant(normalSide.toUpperCase())],
            [
              'Owner',
              owner.startsWith('Customer:') ? (
                <TextLink to={`/customers/${owner}`}>
                  <CustomerName id={owner} />
                </TextLink>
              ) : (
                'The platform'
              ),
            ],
          ]}
        />
      </Panel>
      {accountId.startsWith('InternalAccount:') && <AccountHolds accountId={accountId} />}
      {accountId.startsWith('InternalAccount:') && <StatementPanel accountId={accountId} />}
      <DataTable
        name="Movements"
        file={buildCsvUrl('/ledger/transfers', { accountId })}
        columns={BOOKING_COLUMNS}
        list={list}
        getId={({ id }) => id}
        getLink={({ id }) => `/ledger/transfers/${id}`}
        empty={{ title: 'No movements', text: 'Nothing has been booked to this account yet.' }}
      />
    </Page>
  )
}
