import type { Transaction } from '@countersign/contract/payments/transactions'
import type { Static } from 'typebox'
import type { Column } from '../../ui/column.ts'
import { RecordName } from '../../ui/listed-name.tsx'
import { type Amount, Money } from '../../ui/money.tsx'
import { shortenId } from '../../ui/record-id.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

export type TransactionRecord = Static<typeof Transaction>

/** True if the money belongs to the platform itself. */
export function isOwnedByPlatform({ platformCustomerId }: TransactionRecord): boolean {
  return platformCustomerId.startsWith('Platform:')
}

/** Returns the amount that concerns the customer: the sent or the received one. */
export function getAmount(transaction: TransactionRecord): Amount | undefined {
  return transaction.direction === 'DEBIT'
    ? (transaction.sentAmount ?? transaction.receivedAmount)
    : (transaction.receivedAmount ?? transaction.sentAmount)
}

function getCounterparty({ direction, source, destination }: TransactionRecord) {
  return direction === 'DEBIT' ? destination : source
}

/** Describes the counterparty in plain text; an account by its id. */
export function describeCounterparty(transaction: TransactionRecord): string {
  const side = getCounterparty(transaction)
  if (!side) return '–'
  return 'accountId' in side ? shortenId(side.accountId) : describeSide(side)
}

/** The counterparty, as briefly as the record allows. */
function Counterparty({ transaction }: { readonly transaction: TransactionRecord }) {
  const side = getCounterparty(transaction)
  if (side && 'accountId' in side) return <RecordName id={side.accountId} canWrap />
  return <span className="whole">{side ? describeSide(side) : '–'}</span>
}

type Side = NonNullable<TransactionRecord['source']> | TransactionRecord['destination']

function describeSide(side: Exclude<Side, { readonly accountId: string }>): string {
  if ('umaAddress' in side) return side.umaAddress
  if ('address' in side) return side.address
  return side.accountHolderName ?? side.accountIdentifier ?? side.bankName ?? 'From outside'
}

const STATUS: Column<TransactionRecord> = {
  id: 'status',
  header: 'Status',
  width: '5.75rem',
  cell: ({ status }) => <Status state={status} />,
}

const CUSTOMER: Column<TransactionRecord> = {
  id: 'customer',
  header: 'Customer',
  width: 'minmax(3.5rem, 2fr)',
  cell: (transaction) =>
    isOwnedByPlatform(transaction) ? 'The platform' : <RecordName id={transaction.customerId} />,
}

const OTHER_SIDE: Column<TransactionRecord> = {
  id: 'otherSide',
  header: 'Counterparty',
  width: 'minmax(8rem, 3fr)',
  cell: (transaction) => <Counterparty transaction={transaction} />,
}

const FURTHER: readonly Column<TransactionRecord>[] = [
  {
    id: 'id',
    header: 'Transaction',
    width: '11rem',
    priority: 3,
    cell: ({ id }) => <span className="id">{shortenId(id)}</span>,
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8.75rem, 1fr)',
    isRightAligned: true,
    cell: (transaction) => (
      <Money amount={getAmount(transaction)} sign={transaction.direction === 'DEBIT' ? '−' : '+'} />
    ),
  },
  {
    id: 'createdAt',
    header: 'Created',
    width: '8rem',
    priority: 2,
    isRightAligned: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** Columns for a list of all customers' transactions. */
export const TRANSACTION_COLUMNS: readonly Column<TransactionRecord>[] = [
  STATUS,
  CUSTOMER,
  { ...OTHER_SIDE, priority: 2 },
  ...FURTHER,
]

/** Columns for a list of one customer's transactions. */
export const CUSTOMER_TRANSACTION_COLUMNS = [STATUS, OTHER_SIDE, ...FURTHER]
