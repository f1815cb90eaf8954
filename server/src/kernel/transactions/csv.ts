import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import { keysOf } from '@countersign/contract/core/objects'
import {
  TRANSACTION_COLUMNS,
  type TransactionColumn,
} from '@countersign/contract/payments/transaction-columns'
import { type Columns, type Figure, formatCsvHeader, formatCsvRows } from '../../base/formats/csv-text.ts'
import { formatDecimal } from '../../base/formats/decimal.ts'
import { type TransactionWithCustomer, toPlatformCustomerId } from './store.ts'

const NAMES = keysOf(TRANSACTION_COLUMNS)

/**
 * Streams transactions as CSV (`GET /transactions.csv`), page by page. The header is sent with the first
 * page, so that an error of the first read still becomes an error response.
 */
export async function* transactionsCsv(
  pages: AsyncIterable<TransactionWithCustomer[]>,
): AsyncGenerator<string> {
  let before = formatCsvHeader(NAMES)
  for await (const rows of pages) {
    yield before + formatCsvRows(NAMES, COLUMNS, rows)
    before = ''
  }
  if (before !== '') yield before
}

const COLUMNS: Columns<TransactionColumn, TransactionWithCustomer> = {
  id: (row) => row.id,
  type: (row) => row.type,
  direction: (row) => row.direction,
  status: (row) => row.state,
  createdAt: (row) => row.created_at.toISOString(),
  updatedAt: (row) => row.updated_at.toISOString(),
  settledAt: (row) => row.settled_at?.toISOString(),
  customerId: (row) => row.customer_id ?? toPlatformCustomerId(row.platform_id),
  platformCustomerId: (row) => row.platform_customer_id ?? row.platform_id,
  currency: (row) => getOwnSide(row).currency,
  units: (row) => getOwnSide(row).amount,
  amount: (row) => {
    const { amount, currency } = getOwnSide(row)
    return formatDecimals(amount, currency)
  },
  sourceAccountId: (row) => row.source_account_id,
  sourceAddress: (row) => row.source_identifier,
  destinationAccountId: (row) => row.destination_account_id,
  destinationAddress: (row) => row.details.uma ?? row.destination_identifier,
  sentCurrency: (row) => row.sent_currency,
  sentUnits: (row) => row.sent_amount,
  sentAmount: (row) => formatDecimals(row.sent_amount, row.sent_currency),
  receivedCurrency: (row) => row.received_currency,
  receivedUnits: (row) => row.received_amount,
  receivedAmount: (row) => formatDecimals(row.received_amount, row.received_currency),
  feeCurrency: (row) => (row.fees === null ? null : feeCurrency(row)),
  feeUnits: (row) => row.fees,
  feeAmount: (row) => formatDecimals(row.fees, feeCurrency(row)),
  exchangeRate: (row) => row.details.rates?.exchangeRate,
  quoteId: (row) => row.quote_id,
  reference: (row) => row.reference,
  transactionHash: (row) => row.details.transactionHash,
  paymentRail: (row) => row.payment_rail,
  remittanceInformation: (row) => row.remittance_information,
  description: (row) => row.description,
  failureReason: (row) => row.failure_reason,
  refundStatus: (row) => row.refund?.status,
  refundReference: (row) => row.refund?.reference,
  agentId: (row) => row.agent_id,
}

/** The amount that the customer's account receives; negative if it pays. */
function getOwnSide(row: TransactionWithCustomer): Side {
  const sent = { amount: row.sent_amount, currency: row.sent_currency }
  const received = { amount: row.received_amount, currency: row.received_currency }
  if (row.direction === 'CREDIT') return received.amount === null ? sent : received
  const { amount, currency } = sent.amount === null ? received : sent
  return { amount: amount === null ? null : -amount, currency }
}

interface Side {
  readonly amount: bigint | null
  readonly currency: KnownCurrency | null
}

/**
 * The fees of an outgoing payment are part of the sent amount, and the fees of an incoming payment part of
 * the received amount (specification 2.11).
 */
function feeCurrency(row: TransactionWithCustomer): KnownCurrency | null {
  return row.type === 'OUTGOING' ? row.sent_currency : row.received_currency
}

function formatDecimals(amount: bigint | null, currency: KnownCurrency | null): Figure | null {
  return amount === null || currency === null
    ? null
    : { figure: formatDecimal(amount, CURRENCIES[currency].decimals) }
}
