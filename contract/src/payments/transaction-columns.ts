/**
 * The columns of a file of transactions (`GET /transactions.csv`), in their order, with their content. Each
 * amount has two columns: in the smallest unit, to calculate with, and as a decimal, to read. Columns that do
 * not apply to a transaction are empty.
 */
export const TRANSACTION_COLUMNS = {
  id: 'the transaction',
  type: '`INCOMING` or `OUTGOING`',
  direction: '`CREDIT` adds to the customer’s account, `DEBIT` subtracts from it',
  status: 'its state when the file was made',
  createdAt: 'ISO 8601, in UTC',
  updatedAt: 'its last change',
  settledAt: 'when the money had arrived',
  customerId: 'the customer; if the money is the platform’s own, an id that no customer has',
  platformCustomerId: 'the platform’s own id of that customer',
  currency: 'currency of what the customer’s account pays or gets',
  units: 'what the payment adds to that account, in the smallest unit; negative if it subtracts',
  amount: 'the same as decimal text',
  sourceAccountId: 'the account that pays',
  sourceAddress: 'the UMA address, or what names the account at its bank or on its chain',
  destinationAccountId: 'the account that is paid',
  destinationAddress: 'likewise',
  sentCurrency: 'currency of what is sent',
  sentUnits: 'what is sent, fees included, in the smallest unit',
  sentAmount: 'the same as decimal text',
  receivedCurrency: 'currency of what arrives',
  receivedUnits: 'what arrives, in the smallest unit',
  receivedAmount: 'the same as decimal text',
  feeCurrency: 'currency of the fees',
  feeUnits: 'the fees, in the smallest unit; part of what is sent',
  feeAmount: 'the same as decimal text',
  exchangeRate: 'smallest units sent per smallest unit received',
  quoteId: 'the quote that it executes',
  reference: 'what identifies the payment at banks',
  transactionHash: 'its hash on a chain',
  paymentRail: 'the requested rail',
  remittanceInformation: 'the message to the payee',
  description: 'what the payer noted',
  failureReason: 'why it failed',
  refundStatus: 'state of the way back of money that was not delivered',
  refundReference: 'the reference of that',
  agentId: 'the agent that asked for it',
} as const

export type TransactionColumn = keyof typeof TRANSACTION_COLUMNS
