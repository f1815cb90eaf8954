import type { Transaction } from '@countersign/contract/payments/transactions'
import type { Static } from 'typebox'
import type { Column } from '../../ui/column.ts'
import { ListedName } from '../../ui/listed-name.tsx'
import { type Amount, Money } from '../../ui/money.tsx'
import { shortId } from '../../ui/record-id.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

export type TransactionRecord = Static<typeof Transaction>

/** True if the money is the platform's own. */
export function isOfPlatform({ platformCustomerId }: TransactionRecord): boolean {
  return platformCustomerId.startsWith('Platform:')
}

/** The amount that the customer sees: the sent or the received one. */
export function amountOf(transaction: TransactionRecord): Amount | undefined {
  return transaction.direction === 'DEBIT'
    ? (transaction.sentAmount ?? transaction.receivedAmount)
    : (transaction.receivedAmount ?? transaction.sentAmount)
}

function otherSideOf({ direction, source, destination }: TransactionRecord) {
  return direction === 'DEBIT' ? destination : source
}

/** The other side of a payment in plain text: an account by its id. */
export function otherSideText(transaction: TransactionRecord): string {
  const side = otherSideOf(transaction)
  if (!side) return '–'
  return 'accountId' in side ? shortId(side.accountId) : wordsOfSide(side)
}

/** The other side of a payment, in as few words as its record allows. */
function OtherSide({ of }: { readonly of: TransactionRecord }) {
  const side = otherSideOf(of)
  if (side && 'accountId' in side) return <ListedName id={side.accountId} isWhole />
  return <span className="whole">{side ? wordsOfSide(side) : '–'}</span>
}

type Side = NonNullable<TransactionRecord['source']> | TransactionRecord['destination']

function wordsOfSide(side: Exclude<Side, { readonly accountId: string }>): string {
  if ('umaAddress' in side) return side.umaAddress
  if ('address' in side) return side.address
  return side.accountHolderName ?? side.accountIdentifier ?? side.bankName ?? 'From outside'
}

const STATUS: Column<TransactionRecord> = {
  id: 'status',
  header: 'Status',
  width: '5.75rem',
  cell: ({ status }) => <Status of={status} />,
}

const CUSTOMER: Column<TransactionRecord> = {
  id: 'customer',
  header: 'Customer',
  width: 'minmax(3.5rem, 2fr)',
  cell: (transaction) =>
    isOfPlatform(transaction) ? 'The platform' : <ListedName id={transaction.customerId} />,
}

const OTHER_SIDE: Column<TransactionRecord> = {
  id: 'otherSide',
  header: 'Counterparty',
  width: 'minmax(8rem, 3fr)',
  cell: (transaction) => <OtherSide of={transaction} />,
}

const FURTHER: readonly Column<TransactionRecord>[] = [
  {
    id: 'id',
    header: 'Transaction',
    width: '11rem',
    priority: 3,
    cell: ({ id }) => <span className="id">{shortId(id)}</span>,
  },
  {
    id: 'amount',
    header: 'Amount',
    width: 'minmax(8.75rem, 1fr)',
    isRight: true,
    cell: (transaction) => (
      <Money of={amountOf(transaction)} sign={transaction.direction === 'DEBIT' ? '−' : '+'} />
    ),
  },
  {
    id: 'createdAt',
    header: 'Created',
    width: '8rem',
    priority: 2,
    isRight: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** A transaction list across all customers. */
export const TRANSACTION_COLUMNS: readonly Column<TransactionRecord>[] = [
  STATUS,
  CUSTOMER,
  { ...OTHER_SIDE, priority: 2 },
  ...FURTHER,
]

/** One customer's transaction list. */
export const CUSTOMER_TRANSACTION_COLUMNS = [STATUS, OTHER_SIDE, ...FURTHER]
