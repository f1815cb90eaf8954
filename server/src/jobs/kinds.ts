import type { Write } from '../db/commit/writes.ts'
import type { JobKind, JobKnowledge, JobPayloads } from '../db/schema/job-tables.ts'
import type { Op } from '../op/app.ts'

/** Every kind of due work. `handlers.ts` names what does it. */
export const JOB_KINDS = [
  'accounts.backfill',
  'agent-action.expire',
  'agent.reject-waiting',
  'card.provision',
  'card.tell-processor',
  'card-transaction.expire',
  'card-transaction.pull',
  'message.deliver',
  'quote.expire',
  'receipt.expire',
  'receipt.settle',
  'transaction.pull',
  'transaction.refund',
  'transaction.settle',
  'transfer.settle',
  'webhook.ask',
  'webhook.deliver',
] as const satisfies readonly JobKind[]

/**
 * Does a piece of due work: reads, decides, and gives the writes. The runner removes the job in the same transaction,
 * so a crash before the commit leaves the job, and one after it leaves nothing to do. `known` is there where this process
 * has just written the job and nothing was tried yet: what `job` was given, which the guards of the writes hold against
 * the records.
 */
export type JobHandler<Kind extends JobKind> = (
  op: Op,
  payload: JobPayloads[Kind],
  known?: JobKnowledge[Kind],
) => Promise<readonly Write[]>

/** What does each kind of due work. */
export type JobHandlers = { readonly [Kind in JobKind]: JobHandler<Kind> }
