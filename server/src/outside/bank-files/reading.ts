import type { Op } from '../../kernel/operation/app.ts'
import type { StatementHead } from './formats/camt.ts'
import type { BankFilesRail } from './rail.ts'

/** What a line is understood from. */
export interface Reading {
  readonly op: Op
  readonly rail: BankFilesRail
  readonly head: StatementHead
  /** True for a statement with its balances. */
  readonly isWholeDay: boolean
  /** Deposits that lines before it in this statement have confirmed. */
  readonly taken: Set<string>
  /** The bank's references that stand at several entries of the statement, and so name none. */
  readonly shared: ReadonlySet<string>
  /** The names of all lines of the statement. */
  readonly names: ReadonlySet<string>
}
