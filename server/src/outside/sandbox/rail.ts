import { isKnownCurrency } from '@countersign/contract/core/currencies'
import {
  findScenario,
  type PaymentScenario,
  toPullableAmount,
} from '../../kernel/magic-values/payment-outcomes.ts'
import { addSeconds } from '../../kernel/operation/app.ts'
import {
  type Rail,
  type RailPayment,
  type RailResult,
  type Rails,
  SANDBOX_RAIL,
} from '../../kernel/ports/rail.ts'
import { generateTransactionHash } from './transaction-hash.ts'

/** The sandbox's rail. A payment's external account determines its outcome (specification 4.16). */
export const sandboxRail: Rail = {
  name: null,
  isSimulated: true,
  isRetired: false,
  lateDeposits: 'RETURN',
  currenciesIn: [],
  opensAt: (now) => now,
  send: async (payment) => ({
    subject: payment.id,
    ...findCurrentStep(findScenario(payment, 'out'), payment),
  }),
  pull: async (payment) => ({
    subject: payment.id,
    ...findCurrentStep(findScenario(payment, 'in'), payment),
  }),
  // An account without a rail that can pull has no balance to report.
  pullable: async ({ identifier, currency, paymentRail }) =>
    paymentRail !== null && isKnownCurrency(currency) ? toPullableAmount(identifier, currency) : undefined,
  cancel: async (id) => ({
    subject: id,
    outcome: 'cancelled',
    failureReason: 'QUOTE_EXECUTION_FAILED',
    detail: 'The platform has canceled the payment',
  }),
}

/** The sandbox's rails: a single rail that carries everything. */
export const sandboxRails: Rails = {
  route: async () => sandboxRail,
  limitsFor: async () => undefined,
  find: (name) => (name === null || name === SANDBOX_RAIL ? sandboxRail : undefined),
  ownerOf: async () => undefined,
  list: () => [],
}

/** Returns the current step of a payment. The next poll is due when the next step begins. */
function findCurrentStep({ steps }: PaymentScenario, payment: RailPayment): RailResult {
  const { submittedAt, now, chain, id } = payment
  const toStartTime = (step: { afterSeconds: number }) => addSeconds(submittedAt, step.afterSeconds)
  const next = steps.find((step) => toStartTime(step) > now)
  const { afterSeconds: _, ...step } =
    steps.findLast((candidate) => toStartTime(candidate) <= now) ?? steps[0]
  if (step.outcome === 'pending')
    return { outcome: 'accepted', pollAt: toStartTime(next ?? steps.at(-1) ?? steps[0]) }
  if (step.outcome === 'delivered')
    return {
      ...step,
      ...(chain === null ? {} : { transactionHash: generateTransactionHash(chain, id) }),
      ...(next ? { pollAt: toStartTime(next) } : {}),
    }
  return step
}
