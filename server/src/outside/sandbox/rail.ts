import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { type PaymentScenario, pullableOf, scenarioOf } from '../../kernel/magic-values/payment-outcomes.ts'
import { plusSeconds } from '../../kernel/operation/app.ts'
import {
  type Rail,
  type RailAnswer,
  type RailPayment,
  type Rails,
  SANDBOX_RAIL,
} from '../../kernel/ports/rail.ts'
import { sandboxTransactionHash } from './transaction-hash.ts'

/** The sandbox's rail. A payment's external account determines its outcome (specification 4.16). */
export const sandboxRail: Rail = {
  name: null,
  isSimulated: true,
  isRetired: false,
  lateDeposits: 'RETURN',
  currenciesIn: [],
  opensAt: (now) => now,
  send: async (payment) => ({ subject: payment.id, ...findDelivery(scenarioOf(payment, 'out'), payment) }),
  pull: async (payment) => ({ subject: payment.id, ...findDelivery(scenarioOf(payment, 'in'), payment) }),
  // An account without a rail that can pull has no balance to report.
  pullable: async ({ identifier, currency, paymentRail }) =>
    paymentRail !== null && isKnownCurrency(currency) ? pullableOf(identifier, currency) : undefined,
  cancel: async (id) => ({
    subject: id,
    outcome: 'cancelled',
    failureReason: 'QUOTE_EXECUTION_FAILED',
    detail: 'The platform has cancelled the payment',
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

/** The current step of a payment. The next poll is due when the next step begins. */
function findDelivery({ steps }: PaymentScenario, payment: RailPayment): RailAnswer {
  const { submittedAt, now, chain, id } = payment
  const startOf = (step: { afterSeconds: number }) => plusSeconds(submittedAt, step.afterSeconds)
  const next = steps.find((step) => startOf(step) > now)
  const { afterSeconds: _, ...step } = steps.findLast((one) => startOf(one) <= now) ?? steps[0]
  if (step.outcome === 'pending')
    return { outcome: 'accepted', askAgainAt: startOf(next ?? steps.at(-1) ?? steps[0]) }
  if (step.outcome === 'delivered')
    return {
      ...step,
      ...(chain === null ? {} : { transactionHash: sandboxTransactionHash(chain, id) }),
      ...(next ? { askAgainAt: startOf(next) } : {}),
    }
  return step
}
