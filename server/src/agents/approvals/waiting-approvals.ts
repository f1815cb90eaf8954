import { AgentDecision, AgentPolicy } from '@countersign/contract/agents/agent-policy'
import type { Approval, ApprovalKind } from '@countersign/contract/agents/approvals'
import { RAIL_EVENT_WORDS } from '@countersign/contract/connectors/rail-events'
import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { decode, isObject } from '@countersign/contract/core/decode'
import { present } from '@countersign/contract/core/objects'
import { describeSchedule } from '@countersign/contract/payments/schedule-words'
import type { Static } from 'typebox'
import { describeShortly, getHolderName } from '../../kernel/accounts/external-account-names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { toPeriods } from '../../kernel/operation/periods.ts'
import { findTransaction, toReceivedAmount, toSentAmount } from '../../kernel/transactions/transactions.ts'
import { findDeposit } from '../../money/deposits/deposits.ts'
import { findExternalAccountEvenIfDeleted } from '../../money/external-accounts/external-accounts.ts'
import { getApprovalDeadline } from '../../money/incoming-payments/incoming-payments.ts'
import { findSchedule, schedulePayeeView } from '../../money/payouts/payment-schedules.ts'
import { findBatch, sumByCurrency } from '../../money/payouts/payout-batches.ts'
import { findQuote } from '../../money/quotes/quotes.ts'
import { findRailEventById } from '../../money/rail-events/rail-events.ts'
import { findFundsHold, toFundsHoldView } from '../../money/rails/funds-holds.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import { findScreening } from '../../money/screenings/screenings.ts'
import { findCustomerOnRecord, getCustomerName } from '../../people/customers/customers.ts'
import type { AgentActionRow, AgentRow } from '../../storage/rows/agent.ts'
import type { RailEventRow } from '../../storage/rows/rail.ts'
import type { QuoteRow, TransactionRow } from '../../storage/rows/tables.ts'
import { findPayment } from '../actions/actions.ts'
import { findActionIfAny } from '../actions/find-action.ts'
import { findPolicies, readPolicy } from '../policy/agent-policies.ts'
import { describeDecision } from '../policy/explain-decision.ts'
import { findUsage } from '../policy/usage.ts'
import { readAccountChangeParts } from './account-change-parts.ts'
import {
  readOwnAccountParts,
  readTreasuryKeyParts,
  readTreasuryMovementParts,
  readWithdrawalParts,
} from './own-money-parts.ts'
import { selectAgent, selectFirstDecision, type WaitingRow } from './store.ts'

type View = Static<typeof Approval>
type Parts = Partial<
  Pick<
    View,
    | 'expiresAt'
    | 'requestedBy'
    | 'payee'
    | 'amount'
    | 'transactionId'
    | 'policy'
    | 'customerId'
    | 'customerName'
  >
>

/** The information that an approver needs, by kind, without the customer and the votes. */
const PARTS: { readonly [Kind in ApprovalKind]: (op: Op, id: string) => Promise<Parts> } = {
  AGENT_ACTION: async (op, id) => {
    const action = await findActionIfAny(op, id)
    const agent = action && (await selectAgent(op, action.agent_id))
    if (!action || !agent) return {}
    const { transaction, quote } = await findPayment(op, action)
    return present({
      expiresAt: action.expires_at.toISOString(),
      requestedBy: { type: 'AGENT' as const, id: agent.id, name: agent.name },
      payee: await describePayee(op, transaction, quote),
      amount: toAmount(toSentAmount(transaction)),
      policy: await explainApproval(op, action, agent),
    })
  },

  INCOMING_PAYMENT: async (op, id) => {
    const transaction = await findTransaction(op, id)
    const { sender } = transaction.details.sender ?? {}
    const name = sender?.name ?? transaction.source_identifier ?? undefined
    return {
      expiresAt: getApprovalDeadline(transaction).toISOString(),
      requestedBy: present({ type: 'SENDER' as const, name }),
      amount: toAmount(toReceivedAmount(transaction)),
    }
  },

  SCREENING: async (op, id) => {
    const { direction, address, network, amount, currency, list, detail } = await findScreening(op, id)
    const account = `${network} ${address}`
    return {
      ...(direction === 'PAY'
        ? { payee: { account } }
        : { requestedBy: { type: 'SENDER' as const, name: account } }),
      ...toAmountPart(amount, currency),
      policy: {
        rule: list ?? 'SCREENING',
        words: `The address is on the list ${list ?? ''}${detail === null ? '' : `: ${detail}`}.`,
      },
    }
  },

  DEPOSIT: async (op, id) => {
    const { amount, currency, reason, details } = await findDeposit(op, id)
    const { sender, remittanceInformation } = details
    const name = sender?.name ?? sender?.accountIdentifier
    return {
      requestedBy: present({ type: 'SENDER' as const, name }),
      ...toAmountPart(amount, currency),
      policy: {
        rule: reason ?? 'NO_MATCH',
        words: `${SUSPENSE_REASONS[reason ?? 'NO_MATCH'] ?? 'An operator must decide who owns the money.'}${
          remittanceInformation === undefined ? '' : ` The payer stated: ${remittanceInformation}`
        }`,
      },
    }
  },

  RAIL_EVENT: async (op, id) => {
    const event = await findRailEventById(op, id)
    if (!event) return {}
    const { rail, type, reason } = event
    return {
      requestedBy: { type: 'RAIL', name: rail },
      policy: {
        rule: reason ?? 'UNREADABLE',
        words: `The rail reports ${type}. ${RAIL_EVENT_WORDS[reason ?? 'UNREADABLE']}.${describeStatus(event)}${describeEarlierDecision(event)}`,
      },
      ...(await findReportedPayment(op, event)),
    }
  },

  PAYOUT_BATCH: readBatchParts,

  PAYMENT_SCHEDULE: async (op, id) => {
    const schedule = await findSchedule(op, id)
    const name = schedule.name === null ? '' : `${schedule.name}: `
    return {
      ...present({ payee: await schedulePayeeView(op, schedule) }),
      ...toAmountPart(schedule.amount, schedule.currency),
      policy: {
        rule: 'approvalsRequired',
        words: `${name}${describeSchedule(schedule.timing)}. The platform requires several approvals.`,
      },
    }
  },

  OWN_ACCOUNT: readOwnAccountParts,

  PLATFORM_WITHDRAWAL: async (op, id) => {
    const { row, ...parts } = await readWithdrawalParts(op, id)
    return { ...parts, ...toAmountPart(row.amount, row.currency) }
  },

  ACCOUNT_CHANGE: readAccountChangeParts,

  TREASURY_KEY: readTreasuryKeyParts,

  FUNDS_HOLD: async (op, id) => {
    const { amount, transactionId, reason } = toFundsHoldView(await findFundsHold(op, id))
    return {
      amount,
      transactionId,
      policy: { rule: 'approvalsRequired', words: `A member wants to lift this hold. ${reason}` },
    }
  },

  TREASURY_MOVEMENT: async (op, id) => {
    const { row, ...parts } = await readTreasuryMovementParts(op, id)
    return { ...parts, ...toAmountPart(row.amount, row.currency) }
  },
}

/** The number of payments in a payout batch, and their total. */
async function readBatchParts(op: Op, id: string): Promise<Parts> {
  const batch = await findBatch(op, id)
  const [first, ...others] = sumByCurrency(batch)
  const payments = batch.checked - batch.faulty
  const name = batch.name === null ? '' : ` of ${batch.name}`
  const caution =
    batch.same_file_id === null
      ? ''
      : ` Caution: ${batch.same_file_id} has the same file and may already have been paid.`
  return {
    ...(first && others.length === 0 ? toAmountPart(first[1], first[0]) : {}),
    policy: {
      rule: 'approvalsRequired',
      words: `${payments} ${payments === 1 ? 'payment' : 'payments'}${name}. The platform requires several approvals.${caution}`,
    },
  }
}

/** The outgoing payment that a report is about, if it was sent by the rail that reports. */
async function findReportedPayment(op: Op, { rail, body }: RailEventRow): Promise<Parts> {
  const id = isObject(body.data) ? body.data.id : undefined
  const payment = typeof id === 'string' ? await findRailPayment(op, 'OUT', id) : undefined
  if (!payment?.payment_id.startsWith('Transaction:') || payment.rail !== rail) return {}
  const transaction = await findTransaction(op, payment.payment_id)
  const quote = transaction.quote_id === null ? undefined : await findQuote(op, transaction.quote_id)
  return {
    transactionId: transaction.id,
    ...toAmountPart(payment.amount, payment.currency),
    ...present({ payee: await describePayee(op, transaction, quote) }),
  }
}

/** The message of a bank's status report, such as the payee's name at the bank. */
function describeStatus({ body: { data } }: RailEventRow): string {
  if (!isObject(data) || typeof data.words !== 'string') return ''
  const reasons: readonly unknown[] = Array.isArray(data.reasons) ? data.reasons : []
  const texts = reasons.flatMap((reason) =>
    isObject(reason) && typeof reason.text === 'string' ? [reason.text] : [],
  )
  return [` ${data.words}.`, ...texts.map((text) => ` The bank says: ${text}.`)].join('')
}

/** Describes the decision made before the report arrived. */
function describeEarlierDecision({ body: { decision } }: RailEventRow): string {
  return isObject(decision) ? ` An earlier decision was ${decision.outcome}.` : ''
}

/** Sentences for the reasons why money is in suspense. */
const SUSPENSE_REASONS: Readonly<Record<string, string>> = {
  NO_MATCH: 'It names no account.',
  SEVERAL_MATCHES: 'It matches several accounts.',
  OTHER_CURRENCY: 'Its currency differs from the currency of the account.',
  OTHER_RAIL: 'It arrived on a rail that the account does not use.',
  ACCOUNT_NOT_ACTIVE: 'The account is not active.',
  CUSTOMER_DELETED: 'The customer was deleted.',
  CUSTOMER_NOT_APPROVED: 'The customer is not verified.',
  OUT_OF_RANGE: 'The account does not accept this amount.',
  QUOTE_ENDED: 'The quote that it pays has ended.',
  REJECTED: 'It was not approved.',
  PAYMENT_FAILED: 'The payment that it funded has failed.',
  REQUESTED: 'Its return was requested.',
  RETURN_FAILED: 'It could not be returned to its sender.',
  RETURN_UNAVAILABLE: "It cannot be returned because its sender's account is unknown.",
  SCREENING_HIT: 'Its sender is on a screening list.',
  BOOKED_MORE: 'The bank has booked more than was recorded.',
}

/** A waiting record as the list shows it. */
export async function toWaitingView(
  op: Op,
  { id, kind, created_at, customer_id }: WaitingRow,
  votes: View['votes'],
  votesRequired: number,
): Promise<View> {
  const customer = customer_id === null ? undefined : await findCustomerOnRecord(op, customer_id)
  return {
    objectId: id,
    kind,
    createdAt: created_at.toISOString(),
    ...(customer ? { customerId: customer.id, customerName: getCustomerName(customer) } : {}),
    ...(await PARTS[kind](op, id)),
    votes,
    votesRequired,
  }
}

/** The payee of an agent's action. */
async function describePayee(op: Op, transaction: TransactionRow, quote: QuoteRow | undefined) {
  if (quote?.destination_uma) return { account: quote.destination_uma }
  const id = transaction.destination_account_id
  if (id === null) return undefined
  if (!id.startsWith('ExternalAccount:')) return { account: id }
  const account = await findExternalAccountEvenIfDeleted(op, id)
  return account && present({ name: getHolderName(account), account: describeShortly(account) })
}

/** Explains why the policy requires approval, and how much of its limits remains. */
async function explainApproval(op: Op, action: AgentActionRow, agent: AgentRow): Promise<View['policy']> {
  const first = await selectFirstDecision(op, action.id)
  if (!first) return undefined
  const storedPolicy = (await findPolicies(op, agent.id, [first.policy_version])).get(first.policy_version)
  const policy = storedPolicy ? decode(AgentPolicy, storedPolicy) : readPolicy(agent)
  const decision = decode(AgentDecision, first.decision)
  const remaining = await findRemainingLimits(op, agent)
  return {
    rule: decision.because?.join(', ') ?? decision.outcome,
    words: describeDecision(decision, policy),
    ...(remaining.length > 0 ? { remaining } : {}),
  }
}

async function findRemainingLimits(op: Op, agent: AgentRow) {
  const { currency, dailyLimit, monthlyLimit } = readPolicy(agent).spendingLimits
  const usage = (await findUsage(op, [agent], toPeriods(op.now)))(agent)
  if (!isKnownCurrency(currency)) return []
  const remainingPart = (
    limit: 'DAILY' | 'MONTHLY',
    limitAmount: bigint | null | undefined,
    spent: bigint,
  ) =>
    limitAmount === null || limitAmount === undefined
      ? []
      : [{ limit, amount: toAmount({ amount: limitAmount > spent ? limitAmount - spent : 0n, currency }) }]
  return [
    ...remainingPart('DAILY', dailyLimit, usage.dailySpend),
    ...remainingPart('MONTHLY', monthlyLimit, usage.monthlySpend),
  ]
}

function toAmount({ amount, currency }: ReturnType<typeof toSentAmount>) {
  return { amount, currency: toCurrencyRecord(currency) }
}

function toAmountPart(amount: bigint, currency: string) {
  return isKnownCurrency(currency) ? { amount: toAmount({ amount, currency }) } : {}
}
