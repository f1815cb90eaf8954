import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'

/** The currency fields needed for formatting (specification 2.6). */
interface Currency {
  readonly code: string
  readonly decimals: number
}

/** Formats an amount given in the smallest unit, such as `25.00 USD`. */
export function formatAmount(amount: bigint, { code, decimals }: Currency): string {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  return `${sign}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`} ${code}`
}

/** Finds a currency by code. Amounts in an unknown currency are shown in its smallest unit. */
export function findCurrency(code: string): Currency {
  return isKnownCurrency(code) ? { code, decimals: CURRENCIES[code].decimals } : { code, decimals: 0 }
}

/**
 * Parses an amount such as `25` or `25.00` to the smallest unit. Undefined if it is malformed or has too many
 * decimal places.
 */
export function parseAmount(text: string, { decimals }: Currency): bigint | undefined {
  const [, whole, places = ''] = /^(\d{1,19})(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined || places.length > decimals) return undefined
  const amount = BigInt(whole + places.padEnd(decimals, '0'))
  return amount < 2n ** 63n ? amount : undefined
}

/** Formats the price, without fees, of one whole unit of the receiving currency: `1 USD = 1.0417 USDC`. */
export function formatRate(exchangeRate: number, sending: Currency, receiving: Currency): string {
  const units = exchangeRate * 10 ** (receiving.decimals - sending.decimals)
  return `1 ${receiving.code} = ${Number(units.toPrecision(10))} ${sending.code}`
}
