import type { JobKind, JobRow } from './job.ts'
import type { RailPaymentRow } from './rail.ts'
import type { AccountDetails } from './stored-documents.ts'
import type { InternalAccountRow, TransactionRow } from './tables.ts'

/** Records that the writer of a job has already read, for the kinds that take them. */
export interface JobKnowledge extends Readonly<Record<Exclude<JobKind, 'transfer.settle'>, undefined>> {
  /** A transfer as its writer has left it, and those of its records that the writer has read. */
  readonly 'transfer.settle': {
    readonly transaction: TransactionRow & { readonly platform_customer_id: string | null }
    /** The internal account. */
    readonly account?: InternalAccountRow
    /** The record at its rail. */
    readonly given?: RailPaymentRow | undefined
    /** The details of the external account. */
    readonly other?: AccountDetails | undefined
  }
}

/** A new job, with the records that its writer has already read. */
export interface NewJob<Kind extends JobKind = JobKind> extends JobRow<Kind> {
  readonly known?: JobKnowledge[Kind] | undefined
}
