import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import { getOwnValue } from '@countersign/contract/core/objects'
import type { RailPayment, RailResult } from '../ports/rail.ts'
import { takeSuffix } from './magic-values.ts'

/**
 * Tables of payment outcomes in the sandbox (specification 4.16). Each step starts a number of seconds after
 * submission and lasts until the next step. Payments without a row are delivered.
 */
export type Step =
  | { readonly afterSeconds: number; readonly outcome: 'pending' }
  | { readonly afterSeconds: number; readonly outcome: 'delivered' }
  | ({ readonly afterSeconds: number } & Extract<RailResult, { outcome: 'failed' | 'returned' }>)

export interface PaymentScenario {
  /** The description for `GET /sandbox/magic-values`. */
  readonly meaning: string
  readonly steps: readonly [Step, ...Step[]]
}

const LONG_PAYMENT_SECONDS = 6 * 60
const RETURN_SECONDS = 60
const SLOW_FAILURE_SECONDS = 30

const DELIVERED: PaymentScenario = {
  meaning: 'Succeeds',
  steps: [{ afterSeconds: 0, outcome: 'delivered' }],
}

/** Outcomes of quotes to external accounts, by the suffix of the account. */
export const QUOTE_SCENARIOS: Readonly<Record<string, PaymentScenario>> = {
  '002': {
    meaning: 'The execution fails; the payer keeps the money',
    steps: [
      {
        afterSeconds: 0,
        outcome: 'failed',
        failureReason: 'QUOTE_EXECUTION_FAILED',
        detail: 'The payment could not be executed',
      },
    ],
  },
  '003': {
    meaning: 'A long payment: completes after 6 minutes',
    steps: [
      { afterSeconds: 0, outcome: 'pending' },
      { afterSeconds: LONG_PAYMENT_SECONDS, outcome: 'delivered' },
    ],
  },
  '004': {
    meaning: 'The counterparty cannot deliver, on Lightning: LIGHTNING_PAYMENT_FAILED; refunded',
    steps: [
      {
        afterSeconds: 0,
        outcome: 'returned',
        failureReason: 'COUNTERPARTY_POST_TX_FAILED',
        detail: 'The counterparty could not deliver',
        reason: 'TRANSACTION_FAILED',
      },
    ],
  },
  '005': {
    meaning: 'Completes; the receiving bank returns it after a minute: it fails and is refunded',
    steps: [
      { afterSeconds: 0, outcome: 'delivered' },
      {
        afterSeconds: RETURN_SECONDS,
        outcome: 'returned',
        failureReason: 'COUNTERPARTY_POST_TX_FAILED',
        detail: 'The receiving bank returned the payment',
        reason: 'TRANSACTION_FAILED',
      },
    ],
  },
  '006': {
    meaning: 'The user cancels; refunded',
    steps: [
      {
        afterSeconds: 0,
        outcome: 'returned',
        failureReason: 'QUOTE_EXECUTION_FAILED',
        detail: 'The user canceled the payment',
        reason: 'USER_CANCELLATION',
      },
    ],
  },
  '007': {
    meaning: 'The payout fails, and so does its refund; the money stays in the refunds account of the ledger',
    steps: [
      {
        afterSeconds: 0,
        outcome: 'returned',
        failureReason: 'COUNTERPARTY_POST_TX_FAILED',
        detail: 'The counterparty could not deliver',
        reason: 'TRANSACTION_FAILED',
        isMoneyMissing: true,
      },
    ],
  },
}

/** Failure reasons of transfers, by the suffix of the external account. */
const TRANSFER_FAILURES: Readonly<
  Record<string, { readonly afterSeconds: number; readonly detail: string }>
> = {
  '002': { afterSeconds: 0, detail: 'Insufficient funds' },
  '003': { afterSeconds: 0, detail: 'The account is closed or invalid' },
  '004': { afterSeconds: 0, detail: 'The bank rejected the payment' },
  '005': { afterSeconds: SLOW_FAILURE_SECONDS, detail: 'The bank did not process the payment' },
}

/** Outcomes of transfers into or out of external accounts, by the suffix of the account. */
export const TRANSFER_SCENARIOS = {
  in: transferScenarios('PAY_REQUEST_FAILED'),
  out: transferScenarios('COUNTERPARTY_POST_TX_FAILED'),
}

/**
 * Outcomes of pulls that fund a quote, by the suffix of the external account. The specification does not
 * define values for them: these are the values for transfers in, plus one for a bank that takes a debit back.
 */
export const PULL_SCENARIOS: Readonly<Record<string, PaymentScenario>> = {
  ...transferScenarios('QUOTE_EXECUTION_FAILED'),
  '006': {
    meaning:
      'Completes; the holder disputes the debit, and the bank takes it back after a minute: OUTGOING_PAYMENT.FUNDING_RETURNED',
    steps: [
      { afterSeconds: 0, outcome: 'delivered' },
      {
        afterSeconds: RETURN_SECONDS,
        outcome: 'returned',
        failureReason: 'QUOTE_EXECUTION_FAILED',
        detail: 'The holder of the account disputed the debit',
        reason: 'USER_CANCELLATION',
      },
    ],
  },
}

function transferScenarios(
  failureReason: 'PAY_REQUEST_FAILED' | 'COUNTERPARTY_POST_TX_FAILED' | 'QUOTE_EXECUTION_FAILED',
): Readonly<Record<string, PaymentScenario>> {
  return Object.fromEntries(
    Object.entries(TRANSFER_FAILURES).map(([suffix, { afterSeconds, detail }]) => {
      const failed = { afterSeconds, outcome: 'failed', failureReason, detail } as const
      const scenario: PaymentScenario =
        afterSeconds === 0
          ? { meaning: `${detail}: fails immediately`, steps: [failed] }
          : {
              meaning: `${detail}: stays pending for ${afterSeconds} seconds, then fails`,
              steps: [{ afterSeconds: 0, outcome: 'pending' }, failed],
            }
      return [suffix, scenario]
    }),
  )
}

/** A receiver in the sandbox. */
export interface UmaScenario extends PaymentScenario {
  readonly currency: KnownCurrency
}

/** Outcomes of quotes to sandbox UMA addresses, by the name before the `@`. */
export const UMA_SCENARIOS: Readonly<Record<string, UmaScenario>> = {
  '$success.usd': { ...DELIVERED, currency: 'USD', meaning: 'Receives US dollars' },
  '$success.eur': { ...DELIVERED, currency: 'EUR', meaning: 'Receives euros' },
  '$success.mxn': { ...DELIVERED, currency: 'MXN', meaning: 'Receives Mexican pesos' },
  '$pending.long.usd': {
    currency: 'USD',
    meaning: 'Receives US dollars after 6 minutes',
    steps: [
      { afterSeconds: 0, outcome: 'pending' },
      { afterSeconds: LONG_PAYMENT_SECONDS, outcome: 'delivered' },
    ],
  },
  '$fail.compliance.usd': {
    currency: 'USD',
    meaning: "The receiver's compliance check refuses the payment; refunded",
    steps: [
      {
        afterSeconds: 0,
        outcome: 'returned',
        failureReason: 'COUNTERPARTY_POST_TX_FAILED',
        detail: 'The compliance check of the receiver refused the payment',
        reason: 'TRANSACTION_FAILED',
      },
    ],
  },
}

/** Outcomes of quotes to Lightning wallets, which have a separate failure (specification 2.11). */
const LIGHTNING_SCENARIOS: Readonly<Record<string, PaymentScenario>> = {
  ...QUOTE_SCENARIOS,
  '004': {
    meaning: 'No route to the wallet; refunded',
    steps: [
      {
        afterSeconds: 0,
        outcome: 'returned',
        failureReason: 'LIGHTNING_PAYMENT_FAILED',
        detail: 'The Lightning network found no route to the wallet',
        reason: 'TRANSACTION_FAILED',
      },
    ],
  },
}

/** The scenario for a payment. */
export function findScenario(
  { purpose, identifier, chain }: Pick<RailPayment, 'purpose' | 'identifier' | 'chain'>,
  direction: 'in' | 'out',
): PaymentScenario {
  // Returned money always arrives at the payer.
  if (identifier === null || purpose === 'return') return DELIVERED
  const [name = '', domain] = identifier.split('@')
  const umaScenario = domain === undefined ? undefined : getOwnValue(UMA_SCENARIOS, name)
  if (umaScenario) return umaScenario
  const payoutScenarios = chain === 'LIGHTNING' ? LIGHTNING_SCENARIOS : QUOTE_SCENARIOS
  const quoteScenarios = direction === 'in' ? PULL_SCENARIOS : payoutScenarios
  const scenarios = purpose === 'quote' ? quoteScenarios : TRANSFER_SCENARIOS[direction]
  const suffix = takeSuffix(identifier)
  return getOwnValue(scenarios, suffix) ?? DELIVERED
}

const PULLABLE_UNITS = 1000n

/**
 * The simulated balance of an external account: a thousand units of its currency, or nothing for one suffix.
 */
export function toPullableAmount(identifier: string, currency: KnownCurrency): bigint {
  const isEmpty = takeSuffix(identifier) === '002'
  return isEmpty ? 0n : PULLABLE_UNITS * 10n ** BigInt(CURRENCIES[currency].decimals)
}
