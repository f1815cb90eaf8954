import { readSqlState } from '../engine/port.ts'

/** `overflow`: the balance of an account exceeds its type. */
export type Guard = 'unique' | 'expectation' | 'overdraft' | 'overflow'

/** The guard that rejected a write set, with the name of its constraint or table. */
export interface Refusal {
  readonly guard: Guard
  readonly name: string
}

const UNIQUE_VIOLATION = '23505'
const NUMERIC_VALUE_OUT_OF_RANGE = '22003'
/** Raised by triggers. */
const EXPECTATION = 'CS001'
/** Raised by `refuse_together`. */
const REFUSED_WRITES = 'CS002'
const OVERDRAFT = 'ledger_accounts_overdraft'

/** Interprets a database error as a rejection by a guard. Undefined for any other error. */
export function readRefusal(error: unknown): Refusal | undefined {
  const name = getConstraint(error)
  switch (readSqlState(error)) {
    case UNIQUE_VIOLATION:
      return { guard: 'unique', name }
    case EXPECTATION:
      return { guard: 'expectation', name }
    case REFUSED_WRITES: {
      const { guard } = parseDetail(error)
      return { guard: guard === OVERDRAFT ? 'overdraft' : 'expectation', name: guard }
    }
    case NUMERIC_VALUE_OUT_OF_RANGE:
      return { guard: 'overflow', name: 'numeric_value_out_of_range' }
    default:
      return undefined
  }
}

/** The numbers of the writes whose guards may have failed. Empty if the error does not say. */
export function readRefusedWrites(error: unknown): readonly number[] {
  return readSqlState(error) === REFUSED_WRITES ? parseDetail(error).writes : []
}

function parseDetail(error: unknown): { readonly guard: string; readonly writes: readonly number[] } {
  if (!(error instanceof Error && 'detail' in error)) throw error
  return JSON.parse(String(error.detail))
}

/** Citus does not report the name of the constraint. */
function getConstraint(error: unknown): string {
  return error instanceof Error && 'constraint' in error ? String(error.constraint) : 'unknown'
}
