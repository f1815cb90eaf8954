import { Type } from 'typebox'
import { ExternalAccountCreateInfo } from '../accounts/account-types.ts'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint, MIB } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { PaymentRail } from '../core/rails.ts'
import { Int64, OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { PAYOUT_BATCH_STATES, PAYOUT_LINE_STATES } from '../states/payout-states.ts'
import { REMITTANCE_CHARACTERS_MAX, TransferRefusal } from './transfers.ts'

const TAG = 'Payouts'

/** Maximum number of lines in a JSON request. The number of lines in a file is not limited. */
export const PAYOUT_LINES_MAX = 10_000
/** Maximum size of a payout file, enough for several million lines. */
export const PAYOUT_FILE_BYTES_MAX = 1024 * MIB

/** A payout in a request or a row of a file. */
export const PayoutLineRequest = Type.Object({
  accountId: Type.Optional(
    Id(
      'ExternalAccount',
      "The payee: one of the platform's own external accounts. Alternative to accountInfo",
    ),
  ),
  accountInfo: Type.Optional(ExternalAccountCreateInfo),
  currency: CurrencyCode,
  amount: Int64({
    exclusiveMinimum: 0,
    description: "In the smallest unit. Paid from the platform's account in this currency",
  }),
  paymentRail: Type.Optional(PaymentRail),
  remittanceInformation: Type.Optional(
    Text(REMITTANCE_CHARACTERS_MAX, { description: 'Sent with the payment' }),
  ),
  reference: Type.Optional(
    Text(100, { description: "The platform's id of the payout. Unique within the batch" }),
  ),
})

const name = Type.Optional(Text(100, { description: 'The name of the batch, for people' }))

export const PayoutBatchRequest = Type.Object({
  name,
  lines: Type.Array(PayoutLineRequest, { minItems: 1, maxItems: PAYOUT_LINES_MAX }),
})

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** The total to be sent in one currency through one rail. */
export const PayoutTotal = Type.Object({
  rail: Type.String({ description: 'The name of the rail chosen by the check' }),
  lines: count('The number of payable lines'),
  total: CurrencyAmount,
})

export const PayoutBatch = Type.Object({
  id: Id('PayoutBatch'),
  status: OneOfWords(
    PAYOUT_BATCH_STATES,
    'READY: every line was checked, and nothing was sent. FAILED: the file could not be read completely',
  ),
  name,
  progress: Type.Object({
    lines: count('Lines found so far; all of them once it is READY'),
    checked: count('Lines that were checked'),
    faulty: count('Checked lines that cannot be paid'),
    sent: count('Lines whose payment was accepted'),
    failed: count('Lines whose payment was refused during sending'),
  }),
  totals: Type.Array(PayoutTotal, { description: 'The totals of all payable lines, by currency and rail' }),
  sameFileAs: Type.Optional(
    Id('PayoutBatch', 'An earlier batch with the same file, which may have been paid already'),
  ),
  error: Type.Optional(
    Type.Object({
      code: Type.String(),
      message: Type.String(),
      line: Type.Integer({
        minimum: 0,
        description: 'The line of the file that cannot be read; 0 for its header',
      }),
    }),
  ),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
  completedAt: Type.Optional(Timestamp('The time at which it was completed, canceled or failed')),
})

/** A payout line with its result. */
export const PayoutLine = Type.Object({
  id: Id('PayoutLine'),
  line: Type.Integer({ minimum: 1, description: 'Its line number; the header of a file does not count' }),
  status: OneOfWords(
    PAYOUT_LINE_STATES,
    'GIVEN: not checked yet. READY: payable, not sent. FAULTY: cannot be paid. SENT: its payment was accepted. FAILED: its payment was refused',
  ),
  reference: Type.Optional(Text(100)),
  accountId: Type.Optional(Id('ExternalAccount')),
  amount: Type.Optional(CurrencyAmount),
  rail: Type.Optional(Type.String()),
  paymentRail: Type.Optional(PaymentRail),
  remittanceInformation: Type.Optional(Text(REMITTANCE_CHARACTERS_MAX)),
  transactionId: Type.Optional(Id('Transaction')),
  error: Type.Optional(TransferRefusal),
})

const batchPath = Type.Object({ payoutBatchId: PathId })

/** Creates a batch from JSON. */
export const payout_batch_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/payouts/batches',
  tag: TAG,
  summary: 'Create a payout batch',
  description:
    'Accepts up to 10,000 payouts and checks each one like a payment, but pays nothing: poll the batch ' +
    "until it is READY, review totals and faults, then execute it. Each line is paid from the platform's " +
    "account in the line's currency, to one of the platform's external accounts or to the account that " +
    'the line describes, which is added when it is paid. The body may have up to 8 MiB.',
  idempotent: true,
  body: PayoutBatchRequest,
  bodyBytesMax: 8 * MIB,
  bodyMembersMax: 50 * PAYOUT_LINES_MAX,
  responses: { 201: PayoutBatch },
  errors: ['INVALID_INPUT'],
})

/** Creates a batch from a file. */
export const payout_file_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/payouts/batches/csv',
  tag: TAG,
  summary: 'Create a payout batch from a CSV file',
  description:
    'Accepts a file of payouts and checks its rows after the response, like a batch in JSON. The file is ' +
    'UTF-8, separated by commas, with a header row that names the columns: the fields of a line, like ' +
    'accountInfo.iban. The file is streamed, so its size is not limited by memory.',
  idempotent: true,
  upload: { bytesMax: PAYOUT_FILE_BYTES_MAX },
  body: Type.Object({ name }),
  responses: { 201: PayoutBatch },
  errors: ['INVALID_INPUT'],
})

export const payout_batch_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/payouts/batches',
  tag: TAG,
  summary: 'List payout batches',
  description: "Lists the platform's batches with their progress and totals, newest first.",
  query: Type.Object({ status: Type.Optional(OneOfWords(PAYOUT_BATCH_STATES)), ...pageQuery }),
  responses: { 200: Page(PayoutBatch) },
  errors: ['INVALID_INPUT'],
})

export const payout_batch_csv = endpoint(fileOfList(payout_batch_list, 'payout batches'))

export const payout_batch_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/payouts/batches/{payoutBatchId}',
  tag: TAG,
  summary: 'Read a payout batch',
  description: "Shows a batch's progress, its totals by currency and rail, and the number of faulty lines.",
  params: batchPath,
  responses: { 200: PayoutBatch },
  errors: ['PAYOUT_BATCH_NOT_FOUND'],
})

export const payout_line_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/payouts/batches/{payoutBatchId}/lines',
  tag: TAG,
  summary: 'List the lines of a payout batch',
  description:
    'Lists the lines in order, each with its result: the transaction, or the code and field of the fault.',
  params: batchPath,
  query: Type.Object({ status: Type.Optional(OneOfWords(PAYOUT_LINE_STATES)), ...pageQuery }),
  responses: { 200: Page(PayoutLine) },
  errors: ['INVALID_INPUT', 'PAYOUT_BATCH_NOT_FOUND'],
})

export const payout_line_csv = endpoint({
  ...fileOfList(payout_line_list, 'payout lines'),
  params: batchPath,
})

/** Pays a batch. */
export const payout_batch_execute = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/payouts/batches/{payoutBatchId}/execute',
  tag: TAG,
  summary: 'Execute a payout batch',
  description:
    'Pays the payable lines in order, each as a transfer out with its own transaction and events, after ' +
    'the response. The request states the totals that the caller has reviewed, by currency; if the batch ' +
    'has different totals, the call is rejected. A batch with faults is paid only with skipFaulty, and a ' +
    'file that was paid before only with payAgain. If the platform has set approvalsRequired, only ' +
    'members can execute, and the batch is AWAITING_APPROVAL until enough of them have. A refused ' +
    'payment does not affect the other lines.',
  idempotent: true,
  params: batchPath,
  body: Type.Object({
    totals: Type.Array(
      Type.Object({
        currency: CurrencyCode,
        amount: Int64({ minimum: 1, description: 'In the smallest unit' }),
      }),
      { minItems: 1, maxItems: 50, description: 'The totals of all payable lines, by currency' },
    ),
    skipFaulty: Type.Optional(
      Type.Boolean({ description: 'True: pays the other lines if some lines are faulty' }),
    ),
    payAgain: Type.Optional(
      Type.Boolean({ description: 'True: pays a file with the same content as one that was paid before' }),
    ),
  }),
  responses: { 200: PayoutBatch },
  errors: [
    'INVALID_INPUT',
    'INSUFFICIENT_BALANCE',
    'FORBIDDEN',
    'PAYOUT_BATCH_NOT_FOUND',
    'PAYOUT_BATCH_FAULTY',
    'PAYOUT_FILE_PAID_BEFORE',
    'PAYOUT_TOTALS_DIFFERENT',
    'INVALID_STATE_TRANSITION',
  ],
})

export const payout_batch_cancel = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/payouts/batches/{payoutBatchId}/cancel',
  tag: TAG,
  summary: 'Cancel a payout batch',
  description:
    'Cancels all lines that were not sent yet. Payments of sent lines continue; cancel them individually if their rail supports it.',
  idempotent: true,
  params: batchPath,
  responses: { 200: PayoutBatch },
  errors: ['PAYOUT_BATCH_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const payoutBatches = {
  payout_batch_create,
  payout_file_create,
  payout_batch_list,
  payout_batch_csv,
  payout_batch_get,
  payout_line_list,
  payout_line_csv,
  payout_batch_execute,
  payout_batch_cancel,
}
