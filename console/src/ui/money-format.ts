/**
 * An amount with its currency. If a response has no `decimals`, take them from the account's currency object.
 */
export interface AmountOfCurrency {
  /** In the smallest unit. */
  readonly amount: bigint
  readonly code: string
  readonly decimals: number
}

/**
 * Formats an amount in the main unit with thousands separators and without the currency code: `1,234.50`.
 * Exact for every int64.
 */
export function formatFigures({ amount, decimals }: Omit<AmountOfCurrency, 'code'>): string {
  const sign = amount < 0n ? '−' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return decimals === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-decimals)}`
}

/** Formats the error of a field that contains no valid amount. */
export function formatAmountError(decimals: number): string {
  return `Enter an amount with at most ${decimals} decimal places.`
}

/**
 * Parses a typed amount such as `1,234.5` to the smallest unit. Undefined if it is not an amount or has too
 * many decimals.
 */
export function parseSmallestUnits(text: string, decimals: number): bigint | undefined {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text.trim().replaceAll(',', ''))
  if (!match) return undefined
  const [, whole = '', part = ''] = match
  if (part.length > decimals) return undefined
  return BigInt(whole + part.padEnd(decimals, '0'))
}
