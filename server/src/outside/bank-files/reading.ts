import type { Op } from '../../kernel/operation/app.ts'
import type { StatementHead } from './formats/camt.ts'
import type { BankFilesRail } from './rail.ts'

/** The context needed to understand a line. */
export interface Reading {
  readonly op: Op
  readonly rail: BankFilesRail
  readonly head: StatementHead
  /** True for a statement with both balances. */
  readonly isWholeDay: boolean
  /** Deposits that earlier lines of this statement have confirmed. */
  readonly taken: Set<string>
  /** Bank references shared by several entries of the statement, which therefore identify none of them. */
  readonly shared: ReadonlySet<string>
  /** The names of all lines in the statement. */
  readonly names: ReadonlySet<string>
}
