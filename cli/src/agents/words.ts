import type { AgentRecord } from '@countersign/sdk/agents'
import type { AgentAction } from '@countersign/sdk/wait-for-decision'
import { currencyOf, formatAmount } from '../terminal/amounts.ts'

type Spender = Pick<AgentRecord, 'policy' | 'usage'>

/** What the limits of a policy leave now, one line each. */
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

/** What of an agent's actions waits for the platform. */
export function approvalsInWords({ policy }: Pick<AgentRecord, 'policy'>): string {
  const { approvalThresholds, defaultExecutionMode, spendingLimits } = policy
  if (defaultExecutionMode === 'APPROVAL_REQUIRED') return 'each action waits for approval'
  const threshold = approvalThresholds?.amount ?? undefined
  if (threshold === undefined) return 'no action waits for approval, but what a wallet pays'
  const currency = currencyOf(approvalThresholds?.currency ?? spendingLimits.currency)
  return `what moves more than ${formatAmount(threshold, currency)} waits for approval, and what a wallet pays`
}

/** To which accounts a policy keeps an agent, one line for each list that there is. */
export function accountsInWords({ policy }: Pick<AgentRecord, 'policy'>): string[] {
  const { allowedAccountIds, allowedExternalAccountIds } = policy.accountRestrictions ?? {}
  return [
    ...(allowedAccountIds ? [`only these accounts here: ${allowedAccountIds.join(', ') || 'none'}`] : []),
    ...(allowedExternalAccountIds
      ? [`only these accounts elsewhere, no addresses: ${allowedExternalAccountIds.join(', ') || 'none'}`]
      : []),
  ]
}

/** One action as a person who decides reads it: what, how much, from where to where. */
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
