import type { AccountStatement } from '@countersign/contract/books/statements'
import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { addressOf } from '../../data/csv-address.ts'
import { Facts } from '../../ui/facts.tsx'
import { dayEnd, dayStart, type Filter, Filters, validValues } from '../../ui/filters.tsx'
import { Money } from '../../ui/money.tsx'
import { Panel } from '../../ui/page.tsx'
import { Read } from '../../ui/read.tsx'

const route = getRouteApi('/accounts/$accountId')

const FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
]

/** Formats saved as files, with their labels. Those of banks are refused for accounts in stablecoins. */
const FILES = { csv: 'CSV', camt053: 'camt.053', mt940: 'MT940', ofx: 'OFX' } as const

/** The statement of an account for a period: its sums here, its lines as a page to print or a file. */
export function StatementPanel({ accountId }: { readonly accountId: string }) {
  const search = validValues(FILTERS, route.useSearch())
  const from = dayStart(search.from)
  const to = dayEnd(search.to)
  const period = { ...(from ? { from } : {}), ...(to ? { to } : {}) }
  const query = useQuery({
    queryKey: ['accounts', accountId, 'statement', period],
    queryFn: async () => (await countersign.statements.get({ accountId, ...period })) as Statement,
  })
  const address = (format: string) => addressOf('/statements', { accountId, format, ...period })
  return (
    <Panel
      title="Statement"
      actions={
        <Group gap="md">
          <Anchor href={address('html')} target="_blank" rel="noopener" inherit>
            Print
          </Anchor>
          {Object.entries(FILES).map(([format, label]) => (
            <Anchor key={format} href={address(format)} download inherit>
              {label}
            </Anchor>
          ))}
        </Group>
      }
    >
      <div className="stacked">
        <Filters filters={FILTERS} values={search} />
        <Read query={query} lines={5}>
          {(statement) => <Sums of={statement} />}
        </Read>
      </div>
    </Panel>
  )
}

type Statement = Static<typeof AccountStatement>

function Sums({ of }: { readonly of: Statement }) {
  const { currency } = of.account
  const money = (amount: bigint) => <Money of={{ amount, currency }} />
  return (
    <Facts
      of={[
        ['Before', money(of.openingBalance)],
        ['Came in', money(of.credits)],
        ['Went out', money(of.debits)],
        ['Fees among them', money(of.fees)],
        ['After', money(of.closingBalance)],
        ['Held of it', money(of.heldBalance)],
        ['Lines', of.lines.length.toLocaleString()],
      ]}
    />
  )
}
