import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { LimitRule, VelocityPeriod, VelocitySubject } from '@countersign/contract/payments/risk-config'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { toPeriods } from '../../kernel/operation/periods.ts'
import { FIRST_KEY } from '../../kernel/ports/enclave.ts'
import { toSentAmount } from '../../kernel/transactions/transactions.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { VelocityUseRow } from '../../storage/rows/risk.ts'
import type { TransactionRow } from '../../storage/rows/tables.ts'
import { selectCounters } from './velocity-store.ts'

/** The number of payments and their total amount. */
interface Usage {
  readonly count: number
  readonly amount: bigint
}

/** A customer or payee with limits in the payment's currency. */
interface LimitedSubject {
  readonly subject: VelocitySubject
  readonly digest: string
  readonly limits: readonly LimitRule[]
}

/**
 * Counts payments against `riskConfig.velocityLimits`. All payments of one write set must share an object,
 * because the database does not know the earlier ones yet.
 */
export class Velocity {
  readonly #op: Op
  /** The payments of this write set so far, by subject, digest, period and currency. */
  readonly #admitted = new Map<string, Usage>()

  constructor(op: Op) {
    this.#op = op
  }

  /**
   * The writes that count a payment, in the write set that starts it. Guard: no concurrent payment has used
   * up a limit. Throws 403 `VELOCITY_LIMIT_EXCEEDED` with the limit in its details.
   */
  async admit(payment: TransactionRow): Promise<readonly Write[]> {
    const op = this.#op
    const { amount, currency } = toSentAmount(payment)
    const limitedSubjects = listSubjects(payment).flatMap(({ subject, name }): LimitedSubject[] => {
      const limits = listLimits(op, subject, currency)
      return limits.length === 0 ? [] : [{ subject, digest: digestSubject(op, name), limits }]
    })
    if (limitedSubjects.length === 0) return []
    const { day, month } = toPeriods(op.now)
    const digests = limitedSubjects.map(({ digest }) => digest)
    const rows = await selectCounters(op, digests, [day, month], currency)
    const after = new Map<string, Usage>()
    for (const { subject, digest, limits } of limitedSubjects)
      for (const period of [day, month]) {
        const key = `${subject} ${digest} ${period} ${currency}`
        const stored = rows.find(
          (row) => row.subject === subject && row.subject_digest === digest && row.period === period,
        )
        const before = addUsage(stored ?? NO_USAGE, this.#admitted.get(key) ?? NO_USAGE)
        const limit = limits.find((first) => first.period === (period === day ? 'DAY' : 'MONTH'))
        if (limit) checkLimit(limit, before, amount)
        after.set(key, addUsage(this.#admitted.get(key) ?? NO_USAGE, { count: 1, amount }))
      }
    for (const [key, used] of after) this.#admitted.set(key, used)
    return limitedSubjects.map((first) => insert('velocity_uses', toUseRow(op, payment, first)))
  }
}

const NO_USAGE: Usage = { count: 0, amount: 0n }

function addUsage(first: Usage, second: Usage): Usage {
  return { count: first.count + second.count, amount: first.amount + second.amount }
}

/**
 * The limited subjects of a payment: the paying customer, unless the platform pays, and the payee. A payee is
 * identified by its account number or address, so registering it again does not reset its limit.
 */
function listSubjects(
  payment: TransactionRow,
): { readonly subject: VelocitySubject; readonly name: string }[] {
  const { customer_id: customer, destination_identifier, destination_account_id } = payment
  const payee = destination_identifier ?? destination_account_id
  return [
    ...(customer === null ? [] : [{ subject: 'CUSTOMER', name: customer } as const]),
    ...(payee === null ? [] : [{ subject: 'PAYEE', name: payee } as const]),
  ]
}

function listLimits(op: Op, subject: VelocitySubject, currency: string): readonly LimitRule[] {
  const { velocityLimits } = getPlatformConfig(op).riskConfig
  return velocityLimits.filter((limit) => limit.subject === subject && limit.currency === currency)
}

const DIGEST_CHARACTERS = 32

/**
 * A keyed digest, because account numbers can be guessed. Always with the first key, so that key rotation
 * does not restart the counts.
 */
function digestSubject(op: Op, name: string): string {
  const mac = op.enclave.mac('velocity', `${op.platform.id} ${name}`, FIRST_KEY)
  return Buffer.from(mac).toString('hex').slice(0, DIGEST_CHARACTERS)
}

const PERIOD_IN_WORDS = { DAY: 'day', MONTH: 'month' } as const satisfies Record<VelocityPeriod, string>
const SUBJECT_IN_WORDS = {
  CUSTOMER: 'payments by one customer',
  PAYEE: 'payments to one payee',
} as const satisfies Record<VelocitySubject, string>

function checkLimit(limit: LimitRule, before: Usage, amount: bigint): void {
  const { subject, period, currency, maxCount, maxAmount } = limit
  const exceedsCount = maxCount !== undefined && before.count + 1 > maxCount
  const exceedsAmount = maxAmount !== undefined && before.amount + amount > maxAmount
  if (!exceedsCount && !exceedsAmount) return
  if (!isKnownCurrency(currency)) throw new Error(`Unknown limit currency ${currency}`)
  const limitText = exceedsCount ? `${maxCount} payments` : formatCurrencyAmount(maxAmount ?? 0n, currency)
  const remaining = exceedsCount
    ? ''
    : ` ${formatCurrencyAmount(computeAmountLeft(maxAmount ?? 0n, before.amount), currency)} can still be paid.`
  throw new ApiError('VELOCITY_LIMIT_EXCEEDED', {
    message: `The limit for ${SUBJECT_IN_WORDS[subject]} in ${currency} is ${limitText} per ${PERIOD_IN_WORDS[period]}.${remaining}`,
    details: {
      rule: exceedsCount ? 'maxCount' : 'maxAmount',
      subject,
      period,
      currency,
      ...present({ maxCount, maxAmount }),
      asked: exceedsCount ? 1n : amount,
      left: exceedsCount
        ? computeAmountLeft(BigInt(maxCount), BigInt(before.count))
        : computeAmountLeft(maxAmount ?? 0n, before.amount),
    },
  })
}

function computeAmountLeft(max: bigint, used: bigint): bigint {
  return max > used ? max - used : 0n
}

function toUseRow(
  op: Op,
  payment: TransactionRow,
  { subject, digest, limits }: LimitedSubject,
): VelocityUseRow {
  const { amount, currency } = toSentAmount(payment)
  const dayLimit = limits.find(({ period }) => period === 'DAY')
  const monthLimit = limits.find(({ period }) => period === 'MONTH')
  return {
    platform_id: op.platform.id,
    transaction_id: payment.id,
    subject,
    subject_digest: digest,
    currency,
    amount,
    ...toPeriods(op.now),
    day_count_max: dayLimit?.maxCount ?? null,
    day_amount_max: dayLimit?.maxAmount ?? null,
    month_count_max: monthLimit?.maxCount ?? null,
    month_amount_max: monthLimit?.maxAmount ?? null,
    created_at: op.now,
  }
}
