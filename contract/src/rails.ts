import { OneOfWords } from './schema.ts'

/** Every payment rail that an account or a quote may name. */
export const PAYMENT_RAILS = [
  'ACH',
  'ACH_COLOMBIA',
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

export const PaymentRail = OneOfWords(PAYMENT_RAILS, 'The network the money travels on')
