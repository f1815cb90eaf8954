/**
 * The columns of a transaction file (`GET /transactions.csv`) in order, with their content. Each amount has
 * two columns: in the smallest unit for calculations, and as a decimal for people. Columns that do not apply
 * to a transaction are empty.
 */
export const TRANSACTION_COLUMNS = {
  id: 'the transaction',
  type: '`INCOMING` or `OUTGOING`',
  direction: '`CREDIT` adds money to the customer’s account, `DEBIT` subtracts it',
  status: 'the state when the file was created',
  createdAt: 'ISO 8601, in UTC',
  updatedAt: 'its last change',
  settledAt: 'the time at which the money arrived',
  customerId: 'the customer; for the platform’s own money, an id that no customer has',
  platformCustomerId: 'the platform’s own id of that customer',
  currency: 'currency of the customer’s account',
  units: 'the change of that account, in the smallest unit; negative for a debit',
  amount: 'the same amount as a decimal',
  sourceAccountId: 'the account that pays',
  sourceAddress: 'the UMA address, or the number or address of the account',
  destinationAccountId: 'the account that receives the money',
  destinationAddress: 'the UMA address, or the number or address of the account',
  sentCurrency: 'currency of the sent amount',
  sentUnits: 'the sent amount, fees included, in the smallest unit',
  sentAmount: 'the same amount as a decimal',
  receivedCurrency: 'currency of the received amount',
  receivedUnits: 'the received amount, in the smallest unit',
  receivedAmount: 'the same amount as a decimal',
  feeCurrency: 'currency of the fees',
  feeUnits: 'the fees, in the smallest unit; part of the sent amount',
  feeAmount: 'the same amount as a decimal',
  exchangeRate: 'smallest units sent per smallest unit received',
  quoteId: 'the quote that it executes',
  reference: "the payment's reference at banks",
  transactionHash: 'the hash of the transaction on a chain',
  paymentRail: 'the requested rail',
  remittanceInformation: 'the message to the payee',
  description: "the payer's note",
  failureReason: 'the reason for the failure',
  refundStatus: 'state of the refund of money that was not delivered',
  refundReference: 'the reference of the refund',
  agentId: 'the agent that requested it',
} as const

export type TransactionColumn = keyof typeof TRANSACTION_COLUMNS
