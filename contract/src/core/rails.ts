import { OneOfWords } from './schema.ts'

/** All payment rails that an account or a quote can name. */
export const PAYMENT_RAILS = [
  'ACH',
  'ACH_COLOMBIA',
  'BACS',
  'BANK_TRANSFER',
  'BRE_B',
  'CIPS',
  'FAST',
  'FASTER_PAYMENTS',
  'FEDNOW',
  'INSTAPAY',
  'MOBILE_MONEY',
  'NEFT',
  'PAYNOW',
  'PESONET',
  'PIX',
  'RTGS',
  'RTP',
  'SEPA',
  'SEPA_INSTANT',
  'SPEI',
  'SWIFT',
  'UNIONPAY',
  'UPI',
  'WIRE',
] as const

export type PaymentRailName = (typeof PAYMENT_RAILS)[number]

/** Rails that settle in seconds. */
const INSTANT_RAILS: ReadonlySet<string> = new Set<PaymentRailName>([
  'BRE_B',
  'FAST',
  'FASTER_PAYMENTS',
  'FEDNOW',
  'INSTAPAY',
  'PAYNOW',
  'PIX',
  'RTP',
  'SEPA_INSTANT',
  'SPEI',
  'UPI',
])

export function isInstantRail(name: string): boolean {
  return INSTANT_RAILS.has(name)
}

/**
 * Rails that pull money from an account: direct debits, and collections permitted by the account's holder.
 */
const PULLING_RAILS: ReadonlySet<string> = new Set<PaymentRailName>([
  'ACH',
  'ACH_COLOMBIA',
  'BACS',
  'MOBILE_MONEY',
  'PIX',
  'SEPA',
  'UPI',
])

export function isPullingRail(name: string): boolean {
  return PULLING_RAILS.has(name)
}

export const PaymentRail = OneOfWords(PAYMENT_RAILS, 'The network of the payment')
