import type { AgentAction, AgentRecord } from '@countersign/sdk'
import { currencyOf, formatAmount } from '../terminal/amounts.ts'

type Spender = Pick<AgentRecord, 'policy' | 'usage'>

/** The usage of the limits of a policy, one line each. */
export function limitsInWords({ policy, usage }: Spender): string[] {
  const { currency, perTransactionLimit, dailyLimit, monthlyLimit, dailyTransactionLimit } =
    policy.spendingLimits
  const amount = (value: bigint) => formatAmount(value, currencyOf(currency))
  const used = (spent: bigint, limit: bigint | null | undefined) =>
    limit === undefined || limit === null
      ? `${amount(spent)} used, no limit`
      : `${amount(spent)} of ${amount(limit)} used`
  const { dailyTransactionCount } = usage
  const count =
    dailyTransactionLimit === undefined
      ? String(dailyTransactionCount)
      : `${dailyTransactionCount} of ${dailyTransactionLimit}`
  return [
    `one action: at most ${amount(perTransactionLimit)}`,
    `this day (UTC): ${used(usage.dailySpend, dailyLimit)}; actions: ${count}`,
    `this month (UTC): ${used(usage.monthlySpend, monthlyLimit)}`,
  ]
}

/** Which actions of an agent wait for the platform's approval. */
export function approvalsInWords({ policy }: Pick<AgentRecord, 'policy'>): string {
  const { approvalThresholds, defaultExecutionMode, spendingLimits } = policy
  if (defaultExecutionMode === 'APPROVAL_REQUIRED') return 'every action waits for approval'
  const threshold = approvalThresholds?.amount ?? undefined
  if (threshold === undefined) return 'only payments from an embedded wallet wait for approval'
  const currency = currencyOf(approvalThresholds?.currency ?? spendingLimits.currency)
  return `actions above ${formatAmount(threshold, currency)} and payments from an embedded wallet wait for approval`
}

/** The accounts that a policy restricts an agent to, one line for each list. */
export function accountsInWords({ policy }: Pick<AgentRecord, 'policy'>): string[] {
  const { allowedAccountIds, allowedExternalAccountIds } = policy.accountRestrictions ?? {}
  return [
    ...(allowedAccountIds ? [`only these internal accounts: ${allowedAccountIds.join(', ') || 'none'}`] : []),
    ...(allowedExternalAccountIds
      ? [`only these external accounts, no UMA addresses: ${allowedExternalAccountIds.join(', ') || 'none'}`]
      : []),
  ]
}

/** One action in words, for the person who decides: type, amounts, source and destination. */
export function actionInWords(action: AgentAction): string {
  const { quote, transferDetails, type } = action
  if (quote) {
    const sends = formatAmount(quote.totalSendingAmount, quote.sendingCurrency)
    const gives = formatAmount(quote.totalReceivingAmount, quote.receivingCurrency)
    return `${type} ${sends} from ${sourceOf(quote)}, ${gives} to ${destinationOf(quote)}`
  }
  if (!transferDetails) return type
  const { amount, currency, sourceAccountId, destinationAccountId } = transferDetails
  return `${type} ${formatAmount(amount, currencyOf(currency))} from ${sourceAccountId} to ${destinationAccountId}`
}

type Quote = NonNullable<AgentAction['quote']>

function sourceOf({ source }: Quote): string {
  return source.sourceType === 'ACCOUNT' ? source.accountId : source.currency
}

function destinationOf({ destination }: Quote): string {
  return destination.destinationType === 'ACCOUNT' ? destination.accountId : destination.umaAddress
}
