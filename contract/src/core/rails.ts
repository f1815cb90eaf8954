import { OneOfWords } from './schema.ts'

/** Every payment rail that an account or a quote may name. */
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

/** Rails that pull money from an account: direct debits, and collections that its holder allows. */
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
