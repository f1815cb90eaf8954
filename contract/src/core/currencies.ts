import { Type } from 'typebox'
import { CurrencyCode } from './formats.ts'
import { Int64 } from './schema.ts'
import { Plain } from './sensitivity.ts'

export interface CurrencyInfo {
  readonly name: string
  readonly symbol: string
  /**
   * The minor unit of ISO 4217, or the asset's decimals. Not taken from the runtime's `Intl`, which differs
   * for some currencies.
   */
  readonly decimals: number
  readonly kind: 'fiat' | 'crypto'
}

const fiat = (name: string, symbol: string, decimals = 2) =>
  ({ name, symbol, decimals, kind: 'fiat' }) as const
const crypto = (name: string, symbol: string, decimals: number) =>
  ({ name, symbol, decimals, kind: 'crypto' }) as const

/**
 * All currencies that this platform can hold or pay out. SLV is not a currency: a `SLV_ACCOUNT` is in El
 * Salvador and holds US dollars.
 */
export const CURRENCIES = {
  AED: fiat('UAE Dirham', 'AED'),
  ARS: fiat('Argentine Peso', 'AR$'),
  BDT: fiat('Bangladeshi Taka', '৳'),
  BRL: fiat('Brazilian Real', 'R$'),
  BWP: fiat('Botswana Pula', 'P'),
  CAD: fiat('Canadian Dollar', 'CA$'),
  CNY: fiat('Chinese Yuan', 'CN¥'),
  COP: fiat('Colombian Peso', 'CO$'),
  DKK: fiat('Danish Krone', 'kr'),
  EGP: fiat('Egyptian Pound', 'E£'),
  EUR: fiat('Euro', '€'),
  GBP: fiat('British Pound', '£'),
  GHS: fiat('Ghanaian Cedi', 'GH₵'),
  GTQ: fiat('Guatemalan Quetzal', 'Q'),
  HKD: fiat('Hong Kong Dollar', 'HK$'),
  HTG: fiat('Haitian Gourde', 'G'),
  IDR: fiat('Indonesian Rupiah', 'Rp'),
  INR: fiat('Indian Rupee', '₹'),
  JMD: fiat('Jamaican Dollar', 'J$'),
  KES: fiat('Kenyan Shilling', 'KSh'),
  MWK: fiat('Malawian Kwacha', 'MK'),
  MXN: fiat('Mexican Peso', 'MX$'),
  MYR: fiat('Malaysian Ringgit', 'RM'),
  NGN: fiat('Nigerian Naira', '₦'),
  PHP: fiat('Philippine Peso', '₱'),
  PKR: fiat('Pakistani Rupee', 'Rs'),
  RWF: fiat('Rwandan Franc', 'RF', 0),
  SGD: fiat('Singapore Dollar', 'S$'),
  THB: fiat('Thai Baht', '฿'),
  TZS: fiat('Tanzanian Shilling', 'TSh'),
  UGX: fiat('Ugandan Shilling', 'USh', 0),
  USD: fiat('US Dollar', '$'),
  VND: fiat('Vietnamese Dong', '₫', 0),
  XAF: fiat('Central African CFA Franc', 'FCFA', 0),
  XOF: fiat('West African CFA Franc', 'CFA', 0),
  ZAR: fiat('South African Rand', 'R'),
  ZMW: fiat('Zambian Kwacha', 'ZK'),
  BTC: crypto('Bitcoin', '₿', 8),
  USDB: crypto('USDB', 'USDB', 6),
  USDC: crypto('USD Coin', 'USDC', 6),
  USDT: crypto('Tether', 'USDT', 6),
} as const satisfies Record<string, CurrencyInfo>

export type KnownCurrency = keyof typeof CURRENCIES

export function isKnownCurrency(code: string): code is KnownCurrency {
  return Object.hasOwn(CURRENCIES, code)
}

/** Lists the codes of one kind, in the table's order. */
export function listCurrenciesOfKind(kind: CurrencyInfo['kind']): readonly KnownCurrency[] {
  return Object.keys(CURRENCIES)
    .filter(isKnownCurrency)
    .filter((code) => CURRENCIES[code].kind === kind)
}

/** A currency as it appears in records (specification 2.6). */
export const Currency = Type.Object({
  code: CurrencyCode,
  name: Plain(Type.String()),
  symbol: Plain(Type.String()),
  decimals: Type.Integer({
    minimum: 0,
    description: 'Decimal places between the unit and the smallest unit',
  }),
})

/** Returns a currency as it appears in records. */
export function toCurrencyRecord(code: KnownCurrency) {
  const { name, symbol, decimals } = CURRENCIES[code]
  return { code, name, symbol, decimals }
}

/** An amount in the smallest unit of its currency. */
export const CurrencyAmount = Type.Object({ amount: Int64(), currency: Currency })
