import type { AccountStatement } from '@countersign/contract/books/statements'
import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { buildUrl } from '../../data/csv-address.ts'
import { Facts } from '../../ui/facts.tsx'
import { type Filter, Filters, keepValidValues, toDayEnd, toDayStart } from '../../ui/filters.tsx'
import { Money } from '../../ui/money.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'

const route = getRouteApi('/accounts/$accountId')

const FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

/** Download formats and their labels. The bank formats are not available for stablecoin accounts. */
const FILES = { csv: 'CSV', camt053: 'camt.053', mt940: 'MT940', ofx: 'OFX' } as const

/**
 * An account's statement for a period: its totals, and links to the complete statement as a printable page or
 * a file.
 */
export function StatementPanel({ accountId }: { readonly accountId: string }) {
  const search = keepValidValues(FILTERS, route.useSearch())
  const from = toDayStart(search.from)
  const to = toDayEnd(search.to)
  const period = { ...(from ? { from } : {}), ...(to ? { to } : {}) }
  const query = useQuery({
    queryKey: ['accounts', accountId, 'statement', period],
    queryFn: async () => (await countersign.statements.get({ accountId, ...period })) as Statement,
  })
  const buildDownloadUrl = (format: string) => buildUrl('/statements', { accountId, format, ...period })
  return (
    <Panel
      title="Statement"
      actions={
        <Group gap="md">
          <Anchor href={buildDownloadUrl('html')} target="_blank" rel="noopener" inherit>
            Print
          </Anchor>
          {Object.entries(FILES).map(([format, label]) => (
            <Anchor key={format} href={buildDownloadUrl(format)} download inherit>
              {label}
            </Anchor>
          ))}
        </Group>
      }
    >
      <div className="stacked">
        <Filters filters={FILTERS} values={search} />
        <QueryResult query={query} lines={5}>
          {(statement) => <Totals statement={statement} />}
        </QueryResult>
      </div>
    </Panel>
  )
}

type Statement = Static<typeof AccountStatement>

function Totals({ statement }: { readonly statement: Statement }) {
  const { currency } = statement.account
  const money = (amount: bigint) => <Money amount={{ amount, currency }} />
  return (
    <Facts
      items={[
        ['Opening balance', money(statement.openingBalance)],
        ['Money in', money(statement.credits)],
        ['Money out', money(statement.debits)],
        ['Fees included', money(statement.fees)],
        ['Closing balance', money(statement.closingBalance)],
        ['On hold', money(statement.heldBalance)],
        ['Entries', statement.lines.length.toLocaleString()],
      ]}
    />
  )
}
