/** Formats an amount in the smallest unit as a decimal: `-25.00` for -2500n with 2 decimals. */
export function formatDecimal(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  return `${sign}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`
}
