import { createFieldError } from './operation.ts'

/** Bounds of an amount, in the smallest unit of its currency. */
export interface AmountRange {
  readonly currency?: string
  readonly amountMin?: bigint
  readonly amountMax?: bigint
}

/**
 * Throws 400 `INVALID_INPUT` for bounds without a currency, because amounts of different currencies cannot be
 * compared.
 */
export function checkAmountRange({ currency, amountMin, amountMax }: AmountRange): void {
  if (currency === undefined && (amountMin !== undefined || amountMax !== undefined))
    throw createFieldError('INVALID_INPUT', 'currency', 'currency is required with amountMin and amountMax')
}
