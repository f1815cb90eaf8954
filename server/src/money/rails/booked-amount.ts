import type { DepositRow } from '../../storage/rows/rail.ts'

type Amounts = Pick<DepositRow, 'amount' | 'details'>

/** The amount that the bank has booked for a deposit. It is stored only if it differs from the report. */
export function getBookedAmount({ amount, details: { booked } }: Amounts): bigint {
  return booked === undefined ? amount : BigInt(booked)
}

/** The amount that the first report of a deposit stated. */
export function getReportedAmount({ amount, details: { adjustedFrom } }: Amounts): bigint {
  return adjustedFrom === undefined ? amount : BigInt(adjustedFrom)
}
