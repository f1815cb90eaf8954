import type { CardTransaction as PurchaseSchema } from '@countersign/contract/cards/cards'
import type { Static } from 'typebox'
import type { Column } from '../../ui/column.ts'
import { type Amount, Money } from '../../ui/money.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

type Purchase = Static<typeof PurchaseSchema>

const buildMoneyColumn = (
  id: string,
  header: string,
  getAmount: (row: Purchase) => Amount | undefined,
): Column<Purchase> => ({
  id,
  header,
  width: 'minmax(5.5rem, 1fr)',
  isRightAligned: true,
  priority: id === 'authorized' ? 1 : 2,
  cell: (row) => <Money amount={getAmount(row)} />,
})

/** Columns for card purchases, from authorization to refunds. */
export const PURCHASES: readonly Column<Purchase>[] = [
  {
    id: 'merchant',
    header: 'Merchant',
    width: 'minmax(7rem, 2fr)',
    cell: ({ merchant: { descriptor } }) => (
      <span className="clipped" title={descriptor}>
        {descriptor}
      </span>
    ),
  },
  {
    id: 'status',
    header: 'State',
    width: '7.5rem',
    cell: ({ status }) => <Status state={status} />,
  },
  buildMoneyColumn('authorized', 'Authorized', ({ authorizedAmount }) => authorizedAmount),
  buildMoneyColumn('settled', 'Cleared', ({ settledAmount }) => settledAmount),
  buildMoneyColumn('refunded', 'Returned', ({ refundedAmount }) => refundedAmount),
  {
    id: 'at',
    header: 'Authorized at',
    width: '8.5rem',
    isRightAligned: true,
    priority: 2,
    cell: ({ authorizedAt }) => <Time at={authorizedAt} />,
  },
]
