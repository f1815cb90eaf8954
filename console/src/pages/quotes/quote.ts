import type { Quote as QuoteSchema } from '@countersign/contract/payments/quotes'
import type { Static } from 'typebox'
import type { Amount } from '../../ui/money.tsx'

export type Quote = Static<typeof QuoteSchema>

export function getSentAmount({ totalSendingAmount, sendingCurrency }: Quote): Amount {
  return { amount: totalSendingAmount, currency: sendingCurrency }
}

export function getReceivedAmount({ totalReceivingAmount, receivingCurrency }: Quote): Amount {
  return { amount: totalReceivingAmount, currency: receivingCurrency }
}

const RATE = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 7 })

/**
 * Formats a rate for people: `1 USD = 17.25 MXN`. `rate` is the amount of the sending currency for one unit
 * of the receiving currency, both in their smallest units, which is hard to read if their decimals differ.
 */
export function describeRate(
  rate: number,
  sending: { readonly code: string; readonly decimals: number },
  receiving: { readonly code: string; readonly decimals: number },
): string {
  const perUnit = 10 ** (sending.decimals - receiving.decimals) / rate
  return `1 ${sending.code} = ${RATE.format(perUnit)} ${receiving.code}`
}
