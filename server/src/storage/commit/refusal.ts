import { sqlState } from '../engine/port.ts'

/** `overflow`: the balance of an account exceeds its type. */
export type Guard = 'unique' | 'expectation' | 'overdraft' | 'overflow'

/** The guard that refused a write set, and the constraint or table that it is of. */
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

/** The refusal that an error of the database stands for. Undefined if it is a fault. */
export function readRefusal(error: unknown): Refusal | undefined {
  const name = constraintOf(error)
  switch (sqlState(error)) {
    case UNIQUE_VIOLATION:
      return { guard: 'unique', name }
    case EXPECTATION:
      return { guard: 'expectation', name }
    case REFUSED_WRITES: {
      const { guard } = detailOf(error)
      return { guard: guard === OVERDRAFT ? 'overdraft' : 'expectation', name: guard }
    }
    case NUMERIC_VALUE_OUT_OF_RANGE:
      return { guard: 'overflow', name: 'numeric_value_out_of_range' }
    default:
      return undefined
  }
}

/** The places of the writes whose guards may have failed. None if the error does not say. */
export function readRefusedWrites(error: unknown): readonly number[] {
  return sqlState(error) === REFUSED_WRITES ? detailOf(error).writes : []
}

function detailOf(error: unknown): { readonly guard: string; readonly writes: readonly number[] } {
  if (!(error instanceof Error && 'detail' in error)) throw error
  return JSON.parse(String(error.detail))
}

/** Citus does not pass the constraint on. */
function constraintOf(error: unknown): string {
  return error instanceof Error && 'constraint' in error ? String(error.constraint) : 'unknown'
}
