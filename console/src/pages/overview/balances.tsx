import type { HeldBalance } from '@countersign/contract/operation/overview'
import type { Static } from 'typebox'
import { Money } from '../../ui/money.tsx'
import { ShortTable } from '../../ui/short-table.tsx'

type CurrencyBalance = Static<typeof HeldBalance>

/** Balances by currency. Zero balances come last. */
export function Balances({ balances }: { readonly balances: readonly CurrencyBalance[] }) {
  const rows = [...balances].sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)))
  return (
    <ShortTable
      name="Balances"
      columns={[
        {
          id: 'currency',
          header: 'Currency',
          width: 'minmax(4rem, 2fr)',
          cell: ({ currency }) => <span className="clipped">{currency.name}</span>,
        },
        {
          id: 'customers',
          header: 'Customer balances',
          width: 'minmax(9rem, 1fr)',
          isRightAligned: true,
          cell: ({ customers, currency }) => <Money amount={{ amount: customers, currency }} />,
        },
        {
          id: 'platform',
          header: 'Platform balances',
          width: 'minmax(8rem, 1fr)',
          isRightAligned: true,
          priority: 2,
          cell: ({ platform, currency }) => <Money amount={{ amount: platform, currency }} />,
        },
      ]}
      rows={rows}
      getId={({ currency }) => currency.code}
      empty="No balances yet. Create a customer to get accounts; in a sandbox, fund them with the Sandbox button."
    />
  )
}

function isEmpty({ customers, platform }: CurrencyBalance): boolean {
  return customers === 0n && platform === 0n
}
