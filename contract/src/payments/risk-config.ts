import { type Static, Type } from 'typebox'
import { CurrencyCode } from '../core/formats.ts'
import { PaymentRail } from '../core/rails.ts'
import { Int64, OneOfWords } from '../core/schema.ts'

/** Maximum hold in a rule. An unauthorized ACH debit can be returned for 60 calendar days. */
export const HOLD_BANKING_DAYS_MAX = 60
export const HOLD_RULES_MAX = 50
export const VELOCITY_LIMITS_MAX = 50

/** A rule that holds money pulled from an external account. It applies if all of its conditions are met. */
export const FundsHoldRule = Type.Object({
  bankingDays: Type.Integer({
    minimum: 1,
    maximum: HOLD_BANKING_DAYS_MAX,
    description: 'The number of full banking days for which the money is held after it arrives',
  }),
  currency: Type.Optional(CurrencyCode),
  paymentRail: Type.Optional(PaymentRail),
  minAmount: Type.Optional(
    Int64({
      minimum: 1,
      description: 'The smallest amount that is held, in the smallest unit of currency. Requires currency',
    }),
  ),
  customerAgeDaysMax: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 3650,
      description:
        'The rule applies only to customers created at most this many days before the money arrives',
    }),
  ),
})
export type HoldRule = Static<typeof FundsHoldRule>

export const VELOCITY_SUBJECTS = ['CUSTOMER', 'PAYEE'] as const
export type VelocitySubject = (typeof VELOCITY_SUBJECTS)[number]

export const VELOCITY_PERIODS = ['DAY', 'MONTH'] as const
export type VelocityPeriod = (typeof VELOCITY_PERIODS)[number]

/** A daily or monthly limit on payments by each customer or to each payee. */
export const VelocityLimit = Type.Object({
  subject: OneOfWords(
    VELOCITY_SUBJECTS,
    'CUSTOMER: all payments that one customer makes. PAYEE: all payments to one account or address, by any payer',
  ),
  period: OneOfWords(VELOCITY_PERIODS, 'A day or a month in UTC'),
  currency: CurrencyCode,
  maxCount: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'The maximum number of payments. Required without maxAmount',
    }),
  ),
  maxAmount: Type.Optional(
    Int64({
      minimum: 0,
      description: 'The maximum total, in the smallest unit of currency. Required without maxCount',
    }),
  ),
})
export type LimitRule = Static<typeof VelocityLimit>

/** Rules that hold pulled money, and payment limits. Both are empty by default. */
export const RiskConfig = Type.Object({
  fundsHolds: Type.Array(FundsHoldRule, {
    maxItems: HOLD_RULES_MAX,
    description:
      'If several rules apply, the one with the most banking days holds the money. Replaced as a whole',
  }),
  velocityLimits: Type.Array(VelocityLimit, {
    maxItems: VELOCITY_LIMITS_MAX,
    description: 'At most one for each subject, period and currency. Replaced as a whole',
  }),
})
