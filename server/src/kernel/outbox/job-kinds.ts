import type { Write } from '../../storage/commit/writes.ts'
import type { JobKind, JobPayloads } from '../../storage/rows/job.ts'
import type { Op } from '../operation/app.ts'

/** All kinds of jobs. Their handlers are listed in `service/handlers.ts`. */
export const JOB_KINDS = [
  'accounts.backfill',
  'agent-action.expire',
  'agent.reject-waiting',
  'card.provision',
  'card.notify-processor',
  'cards.continue',
  'card-transaction.expire',
  'card-transaction.pull',
  'chain.mint',
  'customer.erase',
  'customers.import',
  'deposit-account.open',
  'deposit.return',
  'deposit.screened',
  'documents.remove',
  'external-account.check',
  'funds-hold.release',
  'invitation.expire',
  'member.digest',
  'message.deliver',
  'own-money.sweep',
  'payment-schedule.run',
  'payouts.run',
  'quote.expire',
  'rail-event.retry',
  'rail-payment.cancel',
  'receipt.expire',
  'receipt.settle',
  'statement.book',
  'statement.compare',
  'stored-file.remove',
  'stored-files.clear',
  'stablecoin-account.check',
  'transaction.pull',
  'transaction.refund',
  'transaction.settle',
  'transfer.settle',
  'treasury.settle',
  'verification.check',
  'verification.submit',
  'wallet.repay',
] as const satisfies readonly JobKind[]

/**
 * Runs a job: reads, decides, and returns the writes. The runner removes the job in the same transaction, so
 * after a crash before the commit the job runs again, and after the commit there is nothing left to do.
 */
export type JobHandler<Kind extends JobKind> = (
  op: Op,
  payload: JobPayloads[Kind],
) => Promise<readonly Write[]>

/** The handler of each kind of job. */
export type JobHandlers = { readonly [Kind in JobKind]: JobHandler<Kind> }
