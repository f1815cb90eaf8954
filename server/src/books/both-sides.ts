/**
 * Both sides of an account's transfers, as a part of a statement about accounts `a`: those that were made in [$2, $3), and those that
 * were made before and ended late, at $4 or after. `select` has their columns, with SIGN for the sign of the side, `where`
 * their condition.
 */
export function bothSides(select: string, where: string): string {
  const side = (name: 'debit' | 'credit', sign: '-' | '+') => {
    const columns = select.replaceAll('SIGN', sign)
    const isDebit = name === 'debit'
    return `SELECT ${columns}, ${isDebit} AS is_debit FROM ledger_transfers t
        WHERE t.${name}_account_id = a.id AND t.created_at >= $2 AND t.created_at < $3 AND ${where}
      UNION ALL
      SELECT ${columns}, ${isDebit} FROM ledger_late_ends l JOIN ledger_transfers t ON t.id = l.id
        WHERE l.${name}_account_id = a.id AND l.ended_at >= $4 AND t.created_at < $2 AND ${where}`
  }
  return `${side('debit', '-')} UNION ALL ${side('credit', '+')}`
}

/** How far the clocks of two servers may be apart: who ends a transfer may be before who made it. */
export const SKEW_MS = 10 * 60 * 1000
/** `ledger_late_ends` has what ended later than that (migration 0011). */
export const LATE_MS = 24 * 60 * 60 * 1000

/** A moment some milliseconds later, or earlier. */
export function moved(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}
