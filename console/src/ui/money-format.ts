/**
 * An amount of a currency. If a response lacks the decimals, use the ones of the account's currency object.
 */
export interface AmountOfCurrency {
  /** Smallest unit. */
  readonly amount: bigint
  readonly code: string
  readonly decimals: number
}

/** An amount in the main unit, grouped for reading, without its code: `1,234.50`. Exact for every int64. */
export function figures({ amount, decimals }: Omit<AmountOfCurrency, 'code'>): string {
  const sign = amount < 0n ? '−' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return decimals === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-decimals)}`
}

/**
 * The smallest units of an amount as a person types it: `1,234.5`. Undefined if it is not an amount, or has
 * too many decimals.
 */
export function smallestUnits(typed: string, decimals: number): bigint | undefined {
  const found = /^(\d+)(?:\.(\d+))?$/.exec(typed.trim().replaceAll(',', ''))
  if (!found) return undefined
  const [, whole = '', part = ''] = found
  if (part.length > decimals) return undefined
  return BigInt(whole + part.padEnd(decimals, '0'))
}
