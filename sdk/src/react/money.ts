/**
 * Currencies whose smallest unit is not 1/100. A test compares both lists with the contract's currency table.
 */
const DECIMALS: Readonly<Record<string, number>> = {
  RWF: 0,
  UGX: 0,
  VND: 0,
  XAF: 0,
  XOF: 0,
  BTC: 8,
  USDB: 6,
  USDC: 6,
  USDT: 6,
}
const HUNDREDTHS = new Set(
  (
    'AED ARS BDT BRL BWP CAD CNY COP DKK EGP EUR GBP GHS GTQ HKD HTG IDR INR JMD KES MWK MXN MYR NGN PHP PKR SGD ' +
    'THB TZS USD ZAR ZMW'
  ).split(' '),
)

/**
 * Returns the decimal places of a currency in a payload, which only contains the code. Undefined for an
 * unknown currency, because a guess would show the wrong amount.
 */
export function findDecimals(currency: string): number | undefined {
  return Object.hasOwn(DECIMALS, currency) ? DECIMALS[currency] : HUNDREDTHS.has(currency) ? 2 : undefined
}

/** Formats an amount in the smallest unit as a decimal number: `1234n` with two places becomes `12.34`. */
export function formatDecimal(amount: bigint, decimals: number): `${number}` {
  const sign = amount < 0n ? '-' : ''
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  return `${sign}${digits.slice(0, point)}${decimals > 0 ? '.' : ''}${digits.slice(point)}` as `${number}`
}

/**
 * Formats an amount for a language, with the currency code, because many currencies share the symbol `$`:
 * `1.234,50 USD`. Never rounds, but drops trailing zeros of currencies with more than two places.
 */
export function formatAmount(
  language: string,
  amount: bigint,
  currency: string,
  decimals: number,
  signDisplay: 'auto' | 'always' = 'auto',
): string {
  const number = new Intl.NumberFormat(language, {
    minimumFractionDigits: Math.min(2, decimals),
    maximumFractionDigits: decimals,
    signDisplay,
  }).format(formatDecimal(amount, decimals))
  return `${number}\u00a0${currency}`
}

/**
 * Parses a typed amount to the smallest unit: `12,5` with two places becomes `1250n`. Accepts the language's
 * decimal sign, and the other one unless it could be a thousands separator. Undefined unless the text is
 * unambiguously a positive amount.
 */
export function parseAmount(language: string, text: string, decimals: number): bigint | undefined {
  const [, whole, sign, fraction = ''] = /^(\d{1,15})(?:([.,])(\d+))?$/.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  if (sign !== undefined && sign !== findDecimalSign(language) && fraction.length > 2) return undefined
  const amount = BigInt(whole + fraction.padEnd(decimals, '0'))
  return amount > 0n ? amount : undefined
}

function findDecimalSign(language: string): string | undefined {
  return new Intl.NumberFormat(language).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value
}

/** The input is not a positive amount. */
export class AmountError extends Error {
  override readonly name = 'AmountError'
}
