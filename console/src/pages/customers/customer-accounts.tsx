import type { ExternalAccount as ExternalAccountSchema } from '@countersign/contract/accounts/external-accounts'
import type { InternalAccount as InternalAccountSchema } from '@countersign/contract/accounts/internal-accounts'
import type { AuthMethod as AuthMethodSchema } from '@countersign/contract/auth/credentials'
import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { describeAccount, formatKindAndEnd, getBank, getHolder } from '../../ui/account-words.ts'
import type { Column } from '../../ui/column.ts'
import { Money } from '../../ui/money.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { AccountMandates } from '../mandates/account-mandates.tsx'
import { FundButton } from './fund-button.tsx'

type InternalAccount = Static<typeof InternalAccountSchema>
type ExternalAccount = Static<typeof ExternalAccountSchema>
type AuthMethod = Static<typeof AuthMethodSchema>
type Columns<Row> = readonly Column<Row>[]

const ROWS_MAX = 100

const INTERNAL: Columns<InternalAccount> = [
  {
    id: 'type',
    header: 'Account',
    width: 'minmax(8rem, 2fr)',
    cell: ({ type, balance }) =>
      type === 'EMBEDDED_WALLET' ? formatConstant(type) : `${balance.currency.code} account`,
  },
  {
    id: 'status',
    header: 'Status',
    width: '5rem',
    priority: 2,
    cell: ({ status }) => <Status state={status} />,
  },
  {
    id: 'balance',
    header: 'Available',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    cell: ({ balance }) => <Money amount={balance} />,
  },
  {
    id: 'total',
    header: 'Including holds',
    width: 'minmax(8rem, 1fr)',
    isRightAligned: true,
    priority: 2,
    cell: ({ totalBalance }) => <Money amount={totalBalance} />,
  },
]

const EXTERNAL: Columns<ExternalAccount> = [
  {
    id: 'account',
    header: 'Account',
    width: 'minmax(10rem, 2fr)',
    cell: (account) => (
      <span className="clipped" title={describeAccount(account)}>
        {formatKindAndEnd(account)}
      </span>
    ),
  },
  {
    id: 'holder',
    header: 'Holder',
    width: 'minmax(7rem, 2fr)',
    priority: 2,
    cell: (account) => <span className="clipped">{getHolder(account) ?? '–'}</span>,
  },
  {
    id: 'bank',
    header: 'Bank',
    width: 'minmax(6rem, 1fr)',
    priority: 3,
    cell: (account) => <span className="clipped">{getBank(account) ?? '–'}</span>,
  },
  { id: 'status', header: 'Status', width: '6rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'currency',
    header: 'Currency',
    width: '4rem',
    isRightAligned: true,
    cell: ({ currency }) => currency,
  },
]

const CREDENTIALS: Columns<AuthMethod> = [
  { id: 'type', header: 'Kind', width: '8rem', cell: ({ type }) => formatConstant(type) },
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(10rem, 2fr)',
    cell: ({ nickname }) => <span className="clipped">{nickname}</span>,
  },
  {
    id: 'created',
    header: 'Added',
    width: '8.5rem',
    isRightAligned: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** The customer's internal and external accounts, and the credentials of their wallets. */
export function CustomerAccounts({ customerId }: { readonly customerId: string }) {
  const internal = useQuery({
    queryKey: ['accounts', 'of', customerId],
    queryFn: () => countersign.internalAccounts.list({ customerId, limit: ROWS_MAX }),
  })
  const external = useQuery({
    queryKey: ['accounts', 'external', customerId],
    queryFn: () => countersign.externalAccounts.list({ customerId, limit: ROWS_MAX }),
  })
  const wallets = internal.data?.data.filter(({ type }) => type === 'EMBEDDED_WALLET') ?? []
  return (
    <>
      <Panel
        title="Accounts"
        actions={
          <>
            <TextLink to="/holds" search={{ customerId }}>
              Holds
            </TextLink>
            <FundButton accounts={internal.data?.data ?? []} />
          </>
        }
        isBare
      >
        <QueryResult query={internal}>
          {({ data }) => (
            <ShortTable
              name="Accounts"
              columns={INTERNAL}
              rows={data}
              getId={({ id }) => id}
              getLink={({ id }) => `/accounts/${id}`}
              empty="The customer has no accounts."
            />
          )}
        </QueryResult>
      </Panel>
      {wallets.map(({ id, balance }) => (
        <Credentials key={id} accountId={id} currency={balance.currency.code} />
      ))}
      <Panel title="External accounts" isBare>
        <QueryResult query={external}>
          {({ data }) => (
            <ShortTable
              name="External accounts"
              columns={EXTERNAL}
              rows={data}
              getId={({ id }) => id}
              getLink={({ id }) => `/accounts/${id}`}
              empty="No external accounts yet. Add a bank account or an address with POST /customers/external-accounts."
            />
          )}
        </QueryResult>
      </Panel>
      <AccountMandates filter={{ customerId }} accounts={external.data?.data ?? []} />
    </>
  )
}

function Credentials({ accountId, currency }: { readonly accountId: string; readonly currency: string }) {
  const credentials = useQuery({
    queryKey: ['credentials', accountId],
    queryFn: () => countersign.credentials.list({ accountId }),
  })
  const sessions = useQuery({
    queryKey: ['sessions', accountId],
    queryFn: () => countersign.sessions.list({ accountId }),
  })
  const count = sessions.data?.data.length
  return (
    <Panel
      title={`Sign-in methods for the ${currency} wallet`}
      actions={
        count !== undefined && (
          <span className="soft">{count === 1 ? '1 open session' : `${count} open sessions`}</span>
        )
      }
      isBare
    >
      <QueryResult query={credentials}>
        {({ data }) => (
          <ShortTable
            name="Credentials"
            columns={CREDENTIALS}
            rows={data}
            getId={({ id }) => id}
            empty="This wallet has no credentials yet, so it cannot make payments."
          />
        )}
      </QueryResult>
    </Panel>
  )
}
