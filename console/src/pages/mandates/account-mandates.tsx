import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { type ExternalAccount, isDebitable, MANDATE_COLUMNS } from './mandate.tsx'
import { RegisterMandate } from './register-mandate.tsx'

/** Number of mandates shown, newest first. */
const ROWS_MAX = 10

/**
 * The mandates of one account, or of all accounts of a customer. Renders nothing if no account can be
 * debited.
 */
export function AccountMandates(props: {
  readonly filter: { readonly externalAccountId: string } | { readonly customerId: string }
  readonly accounts: readonly ExternalAccount[]
}) {
  const { filter, accounts } = props
  const debitable = accounts.filter(isDebitable)
  const query = useQuery({
    queryKey: ['mandates', 'of', filter],
    queryFn: async () => (await countersign.mandates.list({ ...filter, limit: ROWS_MAX })).data,
    enabled: debitable.length > 0,
  })
  if (debitable.length === 0) return null
  const customerId = debitable[0]?.customerId
  return (
    <Panel
      title="Mandates"
      actions={
        <>
          {customerId !== undefined && (
            <TextLink to="/mandates" search={{ customerId }}>
              All
            </TextLink>
          )}
          <RegisterMandate accounts={debitable} />
        </>
      }
      isBare
    >
      <QueryResult query={query} lines={2}>
        {(rows) => (
          <ShortTable
            name="Mandates"
            rows={rows}
            getId={({ id }) => id}
            getLink={({ id }) => `/mandates/${id}`}
            empty="No mandates yet. Register a mandate that the holder has signed."
            columns={MANDATE_COLUMNS}
          />
        )}
      </QueryResult>
    </Panel>
  )
}
