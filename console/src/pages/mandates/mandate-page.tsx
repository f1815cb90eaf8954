import type { Transaction } from '@countersign/contract/payments/transactions'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { AccountLink } from '../../ui/account-name.tsx'
import type { Column } from '../../ui/column.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Raw } from '../../ui/raw.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { RecordId, shortenId } from '../../ui/record-id.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { getAccountNumber, type Mandate } from './mandate.tsx'
import { MandateActions } from './mandate-actions.tsx'

const route = getRouteApi('/mandates/$mandateId')
const PARENT = { title: 'Mandates', to: '/mandates' }

export function MandatePage() {
  const { mandateId } = route.useParams()
  const query = useQuery({
    queryKey: ['mandates', 'one', mandateId],
    queryFn: () => countersign.mandates.get(mandateId),
  })
  return (
    <RecordPage query={query} title="Mandate" parent={PARENT}>
      {(record) => <MandateDetail mandate={record} />}
    </RecordPage>
  )
}

function MandateDetail({ mandate }: { readonly mandate: Mandate }) {
  return (
    <Page
      title={mandate.reference}
      aside={<Status state={mandate.status} />}
      actions={<MandateActions mandate={mandate} />}
      parent={PARENT}
    >
      <RecordId id={mandate.id} />
      <div className="halves">
        <Debtor mandate={mandate} />
        <Validity mandate={mandate} />
      </div>
      <Collections mandate={mandate} />
      <Raw value={mandate} />
    </Page>
  )
}

function Debtor({ mandate: { customerId, externalAccountId, debtor } }: { readonly mandate: Mandate }) {
  const [numberLabel, number] = getAccountNumber(debtor)
  return (
    <Panel title="Debtor">
      <Facts
        items={[
          [
            'Customer',
            customerId === undefined ? (
              'The platform'
            ) : (
              <TextLink to={`/customers/${customerId}`}>
                <CustomerName id={customerId} />
              </TextLink>
            ),
          ],
          ['Account', <AccountLink key="account" id={externalAccountId} />],
          ['Holder', <span className="anywhere">{debtor.name}</span>],
          [numberLabel, <span className="figures">{number}</span>],
        ]}
      />
    </Panel>
  )
}

function Validity({ mandate }: { readonly mandate: Mandate }) {
  const { mandateType, signedOn, lastCollectedOn, expiresOn, status, isFinal } = mandate
  const { canceledAt, cancelReason, createdAt } = mandate
  return (
    <Panel title="Validity">
      <Facts
        items={[
          ['Type', mandateType === 'ONE_OFF' ? 'A single collection' : formatConstant(mandateType)],
          ['Signed', signedOn],
          ['Last collection', lastCollectedOn ?? 'None yet'],
          ['Next collection', status === 'ACTIVE' && isFinal && 'Its last'],
          [status === 'EXPIRED' ? 'Expired' : 'Expires', status !== 'CANCELED' && expiresOn],
          ['Canceled', canceledAt && <Time at={canceledAt} />],
          ['Reason', cancelReason && <span className="anywhere">{cancelReason}</span>],
          ['Registered', <Time key="registered" at={createdAt} />],
        ]}
      />
    </Panel>
  )
}

type Collection = Static<typeof Transaction>

const COLUMNS: readonly Column<Collection>[] = [
  { id: 'status', header: 'Status', width: '6rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'transaction',
    header: 'Transaction',
    width: 'minmax(8rem, 1fr)',
    cell: ({ id }) => <span className="id">{shortenId(id)}</span>,
  },
  {
    id: 'failure',
    header: 'Failure',
    width: 'minmax(7rem, 2fr)',
    priority: 2,
    cell: ({ failureReason }) => failureReason && formatConstant(failureReason),
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: ({ sentAmount, receivedAmount }) => <Money amount={sentAmount ?? receivedAmount} />,
  },
  {
    id: 'created',
    header: 'Created',
    width: '8.5rem',
    isRightAligned: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** Number of collections shown, newest first. */
const ROWS_MAX = 20

/**
 * The payments that debited the account while this was its mandate. An account has only one mandate at a
 * time.
 */
function Collections({ mandate }: { readonly mandate: Mandate }) {
  const { id, externalAccountId, createdAt, canceledAt } = mandate
  const query = useQuery({
    queryKey: ['transactions', 'by-mandate', id, canceledAt],
    queryFn: async () =>
      (
        await countersign.transactions.list({
          senderAccountIdentifier: externalAccountId,
          startDate: createdAt,
          ...(canceledAt === undefined ? {} : { endDate: canceledAt }),
          limit: ROWS_MAX,
        })
      ).data,
  })
  const all = (
    <TextLink to="/transactions" search={{ account: externalAccountId }}>
      All of the account
    </TextLink>
  )
  return (
    <Panel title="Collections" actions={all} isBare>
      <QueryResult query={query} lines={3}>
        {(rows) => (
          <ShortTable
            name="Collections"
            rows={rows}
            getId={(row) => row.id}
            getLink={(row) => `/transactions/${row.id}`}
            empty="No collections yet."
            columns={COLUMNS}
          />
        )}
      </QueryResult>
    </Panel>
  )
}
