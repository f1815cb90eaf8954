import type { DepositRow } from '../../storage/rows/rail.ts'

type Amounts = Pick<DepositRow, 'amount' | 'details'>

/** The amount that the bank has booked for a deposit: a person may have adjusted the deposit to it. */
export function amountBooked({ amount, details: { booked } }: Amounts): bigint {
  return booked === undefined ? amount : BigInt(booked)
}

/** The amount in a deposit's first report. */
export function amountReported({ amount, details: { adjustedFrom } }: Amounts): bigint {
  return adjustedFrom === undefined ? amount : BigInt(adjustedFrom)
}
