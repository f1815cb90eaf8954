import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { ShortTable } from '../../ui/short-table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { HOLD_COLUMNS } from '../holds/hold.tsx'

/** Number of holds shown, newest first. */
const ROWS_MAX = 20

/** An account's latest holds on pulled money. */
export function AccountHolds({ accountId }: { readonly accountId: string }) {
  const filters = { accountId, limit: ROWS_MAX }
  const query = useQuery({
    queryKey: ['accounts', accountId, 'holds'],
    queryFn: async () => (await countersign.fundsHolds.list(filters)).data,
  })
  const all = (
    <TextLink to="/holds" search={{ account: accountId }}>
      All
    </TextLink>
  )
  return (
    <Panel title="Holds on pulled money" actions={all} isBare>
      <QueryResult query={query} lines={2}>
        {(rows) => (
          <ShortTable
            name="Holds on pulled money"
            rows={rows}
            getId={({ id }) => id}
            empty="No pulled money has been held."
            columns={HOLD_COLUMNS}
          />
        )}
      </QueryResult>
    </Panel>
  )
}
