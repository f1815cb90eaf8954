import type { ReceivedDeposit } from '@countersign/contract/connectors/events'
import { isKnownCurrency, type KnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { buildTable, keysOf, present } from '@countersign/contract/core/objects'
import type { DepositReason } from '@countersign/contract/payments/deposits'
import { DEPOSIT_INITIAL, DEPOSIT_TRANSITIONS } from '@countersign/contract/states/deposit-states'
import { toReadableLine } from '../../base/formats/readable-text.ts'
import { findCustomerAccount, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { fitsBalance } from '../../kernel/ledger/balances.ts'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import { canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { event } from '../../kernel/outbox/events.ts'
import { SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import { findTransaction } from '../../kernel/transactions/transactions.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { DepositAccountRow, DepositDetails, DepositRow } from '../../storage/rows/rail.ts'
import { needsDecision } from '../incoming-payments/incoming-payments.ts'
import { fitsFunding, receiveFunding } from '../quotes/funding.ts'
import { findQuote } from '../quotes/quotes.ts'
import { getReportedAmount } from '../rails/booked-amount.ts'
import {
  buildDepositRailLeg,
  findDepositRow,
  findReturnFault,
  scheduleReturn,
  toDepositCause,
} from '../rails/deposit-rows.ts'
import { deriveDepositId } from '../rails/rail-ids.ts'
import { creditDeposit, type MoneySource } from './credit.ts'
import { chooseTarget, extractReferences, type Target } from './match-reference.ts'
import { findOwnSender } from './own-sender.ts'
import { screenSender } from './screen-sender.ts'
import {
  selectAccountsByReference,
  selectDepositAccountsByReference,
  selectPlatformAccount,
  selectQuotesByReference,
} from './store.ts'

/** In the sandbox, the account that all payers share unless a call names another one. */
export const SANDBOX_SHARED = 'shared'

/** The transitions from the initial state. They are automatic. */
const AUTOMATIC = DEPOSIT_TRANSITIONS[DEPOSIT_INITIAL]

/** Throws 404 `DEPOSIT_NOT_FOUND`. */
export async function findDeposit(op: Op, id: string): Promise<DepositRow> {
  const row = await findDepositRow(op, id)
  if (!row || !canSee(op, null)) throw new ApiError('DEPOSIT_NOT_FOUND', { details: { field: 'depositId' } })
  return row
}

/** A recorded or attributed deposit, with all its writes. */
export interface AttributedDeposit {
  readonly row: DepositRow
  readonly writes: readonly Write[]
}

/** A reported deposit, with all messages in which the payer may have stated a reference. */
export type ReportedDeposit = ReceivedDeposit & Pick<DepositDetails, 'texts' | 'entryReference' | 'from'>

/**
 * Records a new deposit, and credits it to an account or pays a quote with it. It goes to suspense unless
 * exactly one target is found, or if the sender's address is on a list; `paidTo` is the id of the paid
 * account, quote or platform, if known. Throws 503 `UNAVAILABLE` if the address cannot be screened.
 */
export async function recordDeposit(
  op: Op,
  rail: string,
  reported: ReportedDeposit,
  amount: bigint,
  paidTo?: string,
): Promise<AttributedDeposit> {
  const row = newDeposit(op, rail, reported, amount, paidTo)
  const registered = await selectDepositAccountsByReference(op, rail, row.details.depositAccount)
  const screened = await screenSender(op, row, registered[0])
  const attributed = screened.isHit
    ? holdInSuspense(op, row, 'SCREENING_HIT', 'rail')
    : await attribute(op, row, await findTarget(op, row, registered, paidTo), 'rail')
  const events =
    attributed.row.state === 'SUSPENSE'
      ? [event(op, 'DEPOSIT.SUSPENDED', row.id, depositView(attributed.row))]
      : []
  return {
    row: attributed.row,
    writes: [insert('deposits', attributed.row), ...screened.writes, ...attributed.writes, ...events],
  }
}

function newDeposit(
  op: Op,
  rail: string,
  reported: ReportedDeposit,
  amount: bigint,
  paidTo: string | undefined,
): DepositRow {
  return {
    id: deriveDepositId(rail, reported.depositId),
    platform_id: op.platform.id,
    rail,
    rail_reference: reported.depositId,
    amount,
    currency: reported.amount.currency,
    state: DEPOSIT_INITIAL,
    reason: null,
    details: { ...toDepositDetails(reported), ...present({ paidTo, from: reported.from }) },
    account_id: null,
    transaction_id: null,
    parent_id: null,
    received_at: new Date(reported.receivedAt),
    created_at: op.now,
    updated_at: op.now,
  }
}

/**
 */
export function toDepositDetails(reported: ReportedDeposit): DepositDetails {
  return {
    depositAccount: reported.depositAccountId,
    ...present({
      remittanceInformation: toReadableLine(reported.remittanceInformation),
      sender: reported.sender && toReadableValues(reported.sender),
      paymentRail: toReadableLine(reported.rail),
      endToEndId: toReadableLine(reported.endToEndId),
      traceNumber: toReadableLine(reported.traceNumber),
      texts: reported.texts,
      references: reported.texts && findReferences(reported.texts),
      entryReference: reported.entryReference,
    }),
  }
}

/** The references that a payer stated, each with the first place where it was found. */
export function findReferences(texts: NonNullable<DepositDetails['texts']>) {
  const firstPlaces = new Map<string, string>()
  for (const { where, text } of texts)
    for (const reference of extractReferences(text))
      if (!firstPlaces.has(reference)) firstPlaces.set(reference, where)
  return firstPlaces.size === 0
    ? undefined
    : [...firstPlaces].map(([reference, where]) => ({ reference, where }))
}

function toReadableValues<T extends Readonly<Record<string, string | undefined>>>(texts: T) {
  return present(buildTable(keysOf(texts), (name) => toReadableLine(texts[name])))
}

/** Finds the account or quote that a deposit is for, or the reason why there is no match. */
async function findTarget(
  op: Op,
  row: DepositRow,
  registered: readonly DepositAccountRow[],
  paidTo: string | undefined,
): Promise<Target | DepositReason> {
  const { currency, details } = row
  const texts = [details.remittanceInformation, ...(details.texts ?? []).map(({ text }) => text)]
  const stated = await findTargetsByReference(op, [...new Set(texts.flatMap(extractReferences))])
  // If an account number is registered for two accounts, it identifies neither.
  if (paidTo === undefined && registered.length > 1) return 'SEVERAL_MATCHES'
  const target = chooseTarget({
    own: await resolveTarget(op, currency, paidTo ?? registered[0]?.account_id ?? undefined),
    stated,
  })
  // The sender is considered only if the deposit identifies no account or quote.
  return target === 'NO_MATCH' && paidTo === undefined ? ((await findOwnSender(op, row)) ?? target) : target
}

/** The accounts and quotes with these references. Only rails give references to internal accounts. */
export async function findTargetsByReference(op: Op, references: readonly string[]): Promise<Target[]> {
  if (references.length === 0) return []
  const [accounts, quotes] = await Promise.all([
    selectAccountsByReference(op, references),
    selectQuotesByReference(op, references),
  ])
  return [
    ...accounts.flatMap(({ account_id }) =>
      account_id ? [{ kind: 'account', id: account_id } as const] : [],
    ),
    ...quotes.flatMap(({ id, quote_id }) =>
      quote_id ? [{ kind: 'quote', transactionId: id, quoteId: quote_id } as const] : [],
    ),
  ]
}

/** The target that an id denotes. The platform's id denotes the platform's own account in the currency. */
async function resolveTarget(op: Op, currency: string, id: string | undefined): Promise<Target | undefined> {
  if (id === undefined) return undefined
  if (id.startsWith('Quote:'))
    return { kind: 'quote', quoteId: id, transactionId: (await findQuote(op, id)).transaction_id }
  if (id !== op.platform.id) return { kind: 'account', id }
  const account = await selectPlatformAccount(op, currency)
  return account && { kind: 'account', id: account.id }
}

/** Attributes a deposit in suspense again, as if it had just arrived. The caller writes the row. */
export async function attributeAgain(op: Op, row: DepositRow): Promise<AttributedDeposit> {
  const { depositAccount, paidTo } = row.details
  const registered =
    paidTo === undefined ? await selectDepositAccountsByReference(op, row.rail, depositAccount) : []
  return attribute(op, row, await findTarget(op, row, registered, paidTo), 'suspense')
}

/** Writes a deposit's new state. Guard: the deposit is unchanged. */
export function replaceDeposit(
  op: Op,
  { id, state, reason, updated_at }: DepositRow,
  after: DepositRow,
): Write {
  const { account_id, transaction_id, details } = after
  const change = { account_id, transaction_id, details, state: after.state, reason: after.reason }
  return update('deposits', id, { state, reason, updated_at }, { ...change, updated_at: op.now })
}

async function attribute(
  op: Op,
  row: DepositRow,
  target: Target | DepositReason,
  from: MoneySource,
): Promise<AttributedDeposit> {
  if (typeof target === 'string') return holdInSuspense(op, row, target, from)
  if (target.kind === 'quote') return payQuote(op, row, target, from)
  return creditAccount(op, row, target.id, from)
}

async function creditAccount(
  op: Op,
  row: DepositRow,
  accountId: string,
  from: MoneySource,
): Promise<AttributedDeposit> {
  const credit = await creditDeposit(
    op,
    row,
    await findInternalAccount(op, accountId),
    from,
    needsDecision(op),
  )
  return 'reason' in credit ? holdInSuspense(op, row, credit.reason, from) : credit
}

function holdInSuspense(
  op: Op,
  row: DepositRow,
  reason: DepositReason,
  from: MoneySource,
): AttributedDeposit {
  return { row: { ...row, reason }, writes: postToSuspense(op, row, from) }
}

/** Posts a deposit without an owner to suspense, unless its money is already in suspense. */
function postToSuspense(op: Op, row: DepositRow, from: MoneySource): Write[] {
  return from === 'suspense' ? [] : post(op, toDepositCause(row), buildDepositSuspenseLegs(row, row.amount))
}

/**
 * True if the rail's and the suspense balances stay in range after this deposit. If not, reject its report.
 */
export function hasRoomForDeposit(
  op: Op,
  rail: string,
  { amount, currency }: { readonly amount: bigint; readonly currency: KnownCurrency },
): Promise<boolean> {
  return fitsBalance(op, buildDepositSuspenseLegs({ rail, currency }, amount))
}

function buildDepositSuspenseLegs(row: Pick<DepositRow, 'rail' | 'currency'>, amount: bigint): Leg[] {
  return [buildDepositRailLeg(row, -amount), { system: 'suspense', currency: row.currency, amount }]
}

/** Pays a pending quote with a deposit. A wrong amount or a late payment is refunded. */
async function payQuote(
  op: Op,
  row: DepositRow,
  { transactionId, quoteId }: Extract<Target, { kind: 'quote' }>,
  from: MoneySource,
): Promise<AttributedDeposit> {
  const [quote, transaction] = await Promise.all([findQuote(op, quoteId), findTransaction(op, transactionId)])
  if (quote.sending_currency !== row.currency) return holdInSuspense(op, row, 'OTHER_CURRENCY', from)
  if ((quote.request.railIn ?? SANDBOX_RAIL) !== row.rail) return holdInSuspense(op, row, 'OTHER_RAIL', from)
  if (quote.state !== 'PENDING' || quote.expires_at <= op.now)
    return handleLatePayment(op, row, quote.customer_id, from)
  if (!(await fitsFunding(op, quote, row.amount))) return holdInSuspense(op, row, 'OUT_OF_RANGE', from)
  const funded = { ...row, state: AUTOMATIC.fund, reason: null, transaction_id: transactionId }
  const { writes } = await receiveFunding(op, quote, transaction, row.amount, 'amount', row.id)
  // `receiveFunding` posts the money from the rail, so first move it from suspense back to the rail.
  const fromSuspense =
    from === 'suspense' ? post(op, toDepositCause(row), buildDepositSuspenseLegs(row, -row.amount)) : []
  return { row: funded, writes: [...fromSuspense, ...writes] }
}

/**
 * Handles money for an expired or completed quote: returns it to the sender or credits the customer,
 * depending on the rail's configuration.
 */
async function handleLatePayment(
  op: Op,
  row: DepositRow,
  customerId: string | null,
  from: MoneySource,
): Promise<AttributedDeposit> {
  if (op.rails.find(row.rail)?.lateDeposits === 'CREDIT') {
    const account = await (customerId === null
      ? selectPlatformAccount(op, row.currency)
      : findCustomerAccount(op, customerId, row.currency))
    return account ? creditAccount(op, row, account.id, from) : holdInSuspense(op, row, 'QUOTE_ENDED', from)
  }
  const note = findReturnFault(op, row)
  if (note !== undefined)
    return holdInSuspense(op, { ...row, details: { ...row.details, note } }, 'RETURN_UNAVAILABLE', from)
  const returning: DepositRow = { ...row, state: AUTOMATIC.return, reason: 'QUOTE_ENDED' }
  return { row: returning, writes: [...postToSuspense(op, row, from), ...scheduleReturn(op, returning)] }
}

/** A deposit as the API shows it. */
export function depositView(row: DepositRow) {
  const { details } = row
  if (!isKnownCurrency(row.currency)) throw new Error(`Unknown deposit currency ${row.currency}`)
  return {
    ...present({
      reason: row.reason,
      partOf: row.parent_id,
      adjustedFrom:
        details.adjustedFrom === undefined
          ? undefined
          : { amount: getReportedAmount(row), currency: toCurrencyRecord(row.currency) },
      accountId: row.account_id,
      transactionId: row.transaction_id,
      remittanceInformation: details.remittanceInformation,
      sender: details.sender,
      paymentRail: details.paymentRail,
      endToEndId: details.endToEndId,
      traceNumber: details.traceNumber,
      references: details.references,
      note: details.note,
    }),
    id: row.id,
    status: row.state,
    rail: row.rail,
    railReference: row.rail_reference,
    amount: { amount: row.amount, currency: toCurrencyRecord(row.currency) },
    receivedAt: row.received_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
