import type { Op } from '../../kernel/operation/app.ts'
import type { StatementHead } from './formats/camt.ts'
import type { BankFilesRail } from './rail.ts'

/** Context for understanding a line. */
export interface Reading {
  readonly op: Op
  readonly rail: BankFilesRail
  readonly head: StatementHead
  /** True for a statement with its balances. */
  readonly isWholeDay: boolean
  /** Deposits that earlier lines of this statement have confirmed. */
  readonly taken: Set<string>
  /** The bank's references that several entries of the statement share, so they identify none. */
  readonly shared: ReadonlySet<string>
  /** The names of all the statement's lines. */
  readonly names: ReadonlySet<string>
}
