import type { AgentAction, AgentRecord, ItemOf } from '@countersign/sdk'
import { findCurrency, formatAmount } from '../terminal/amounts.ts'

type Spender = Pick<AgentRecord, 'policy' | 'usage'>

/** Describes a policy's limits and how much of each is used, one per line. */
export function describeLimits({ policy, usage }: Spender): string[] {
  const { currency, perTransactionLimit, dailyLimit, monthlyLimit, dailyTransactionLimit } =
    policy.spendingLimits
  const amount = (value: bigint) => formatAmount(value, findCurrency(currency))
  const describeUsage = (used: bigint, limit: bigint | null | undefined) =>
    limit === undefined || limit === null
      ? `${amount(used)} used, no limit`
      : `${amount(used)} of ${amount(limit)} used`
  const { dailyTransactionCount } = usage
  const count =
    dailyTransactionLimit === undefined
      ? String(dailyTransactionCount)
      : `${dailyTransactionCount} of ${dailyTransactionLimit}`
  return [
    `per action: at most ${amount(perTransactionLimit)}`,
    `today (UTC): ${describeUsage(usage.dailySpend, dailyLimit)}; actions: ${count}`,
    `this month (UTC): ${describeUsage(usage.monthlySpend, monthlyLimit)}`,
  ]
}

/** Describes which of an agent's actions need approval. */
export function describeApprovals({ policy }: Pick<AgentRecord, 'policy'>): string {
  const { approvalThresholds, defaultExecutionMode, spendingLimits } = policy
  if (defaultExecutionMode === 'APPROVAL_REQUIRED') return 'every action needs approval'
  const threshold = approvalThresholds?.amount ?? undefined
  if (threshold === undefined) return 'only payments from an embedded wallet need approval'
  const currency = findCurrency(approvalThresholds?.currency ?? spendingLimits.currency)
  return `actions above ${formatAmount(threshold, currency)} and payments from an embedded wallet need approval`
}

const joinIds = (ids: readonly string[]) => ids.join(', ')

/**
 * Describes the accounts to which a policy restricts an agent, one line per list. `idList` formats the ids of
 * a list.
 */
export function describeAccounts({ policy }: Pick<AgentRecord, 'policy'>, idList = joinIds): string[] {
  const { allowedAccountIds, allowedExternalAccountIds } = policy.accountRestrictions ?? {}
  return [
    ...(allowedAccountIds ? [`only these internal accounts: ${idList(allowedAccountIds) || 'none'}`] : []),
    ...(allowedExternalAccountIds
      ? [`only these external accounts, no UMA addresses: ${idList(allowedExternalAccountIds) || 'none'}`]
      : []),
  ]
}

/** Describes an action to the person deciding on it: type, amounts, source and destination. */
export function describeAction(action: AgentAction): string {
  const { quote, transferDetails, type } = action
  if (quote) {
    const sends = formatAmount(quote.totalSendingAmount, quote.sendingCurrency)
    const gives = formatAmount(quote.totalReceivingAmount, quote.receivingCurrency)
    return `${type} ${sends} from ${describeSource(quote)}, ${gives} to ${describeDestination(quote)}`
  }
  if (!transferDetails) return type
  const { amount, currency, sourceAccountId, destinationAccountId } = transferDetails
  return `${type} ${formatAmount(amount, findCurrency(currency))} from ${sourceAccountId} to ${destinationAccountId}`
}

type Quote = NonNullable<AgentAction['quote']>

function describeSource({ source }: Quote): string {
  return source.sourceType === 'ACCOUNT' ? source.accountId : source.currency
}

function describeDestination({ destination }: Quote): string {
  return destination.destinationType === 'ACCOUNT' ? destination.accountId : destination.umaAddress
}

type Approval = ItemOf<'approval_list'>

const LIMIT_PERIODS = { DAILY: 'today', MONTHLY: 'this month' } as const
const NAME_LENGTH_MAX = 60

/**
 * Describes a pending approval on several lines: requester, customer, payee, amount, reason, and the
 * remaining limits.
 */
export function describeApproval(approval: Approval): string[] {
  const { objectId, createdAt, requestedBy, customerName, customerId, payee, amount, policy } = approval
  const { expiresAt, votes, votesRequired } = approval
  const formatRow = (label: string, value: string | undefined) =>
    value === undefined ? [] : [`  ${label.padEnd(9)}${value}`]
  const account = payee?.account === undefined ? undefined : toSafeText(payee.account)
  const name = payee?.name === undefined ? undefined : toSafeText(payee.name)
  return [
    `${createdAt}  ${objectId}`,
    ...formatRow(
      'agent',
      `${toSafeText(requestedBy?.name ?? 'an agent')}, for ${toSafeText(customerName ?? customerId ?? 'nobody')}`,
    ),
    ...formatRow('amount', amount && formatAmount(amount.amount, amount.currency)),
    ...formatRow('to', name && account ? `${name}, ${account}` : (name ?? account)),
    ...formatRow('reason', policy && toSafeText(policy.words)),
    ...(policy?.remaining ?? []).flatMap(({ limit, amount: left }) =>
      formatRow(
        'left',
        `${formatAmount(left.amount, left.currency)} ${LIMIT_PERIODS[limit]}, including this one`,
      ),
    ),
    ...(votesRequired > 1
      ? formatRow('votes', `${votes.length} of ${votesRequired} members have approved`)
      : []),
    ...formatRow('expires', expiresAt),
  ]
}

/**
 * Makes untrusted text safe for a terminal: puts it on one line, removes control and direction characters,
 * and truncates it.
 */
function toSafeText(text: string): string {
  const plain = [...text.replace(/\p{C}/gu, '').replace(/\s+/g, ' ')]
  return plain.length > NAME_LENGTH_MAX ? `${plain.slice(0, NAME_LENGTH_MAX - 1).join('')}…` : plain.join('')
}
