import type { InternalAccountRow, TransactionRow } from './tables.ts'

/** What each kind of due work is told, as it is stored. Times are ISO 8601, amounts their digits. */
export interface JobPayloads {
  /** Customers up to this one have their accounts. */
  'accounts.backfill': { readonly fromCustomerId: string }
  'agent-action.expire': { readonly actionId: string }
  'agent.reject-waiting': { readonly agentId: string }
  'card.provision': { readonly cardId: string }
  'card.tell-processor': { readonly cardId: string }
  'card-transaction.expire': { readonly cardTransactionId: string }
  'card-transaction.pull': {
    readonly cardTransactionId: string
    readonly fromHold: string
    readonly above: string
    readonly fails: boolean
  }
  'message.deliver': { readonly messageId: string }
  'quote.expire': { readonly quoteId: string }
  'receipt.expire': { readonly transactionId: string }
  'receipt.settle': { readonly transactionId: string }
  'transaction.pull': {
    readonly transactionId: string
    readonly executedAt: string
    /** The rail was asked before. */
    readonly isAsked?: boolean
  }
  'transaction.refund': { readonly transactionId: string }
  'transaction.settle': {
    readonly transactionId: string
    readonly executedAt?: string
    readonly isAsked?: boolean
  }
  'transfer.settle': {
    readonly transactionId: string
    /** Where that is later than the transfer was recorded. */
    readonly submittedAt?: string
    readonly isAsked?: boolean
  }
  'webhook.ask': DeliveryPayload
  'webhook.deliver': DeliveryPayload
}

/**
 * What a delivery is to do. With `objectId` it waits for earlier events of that object and later ones wait for it;
 * `sequence` is there once it has been looked at. With `since` it was asked for again, then, and waits for nothing.
 */
export interface DeliveryPayload {
  readonly eventId: string
  readonly objectId?: string
  readonly sequence?: number
  readonly since?: string
}

export type JobKind = keyof JobPayloads

/** Due work. Kind and payload belong together: only `job()` makes it. */
export interface JobRow<Kind extends JobKind = JobKind> {
  id: string
  platform_id: string
  kind: Kind
  payload: JobPayloads[Kind]
  due_at: Date
  attempts: number
  claimed_until: Date | null
  last_error: string | null
  created_at: Date
}

/** What whoever writes due work has read already, for the kind that takes it. */
export interface JobKnowledge extends Readonly<Record<Exclude<JobKind, 'transfer.settle'>, undefined>> {
  /** A transfer and its account here, as they were when it was begun. */
  readonly 'transfer.settle': {
    readonly transaction: TransactionRow & { readonly platform_customer_id: string | null }
    readonly account: InternalAccountRow
  }
}

/** Due work as it is written, with what is known to whoever writes it. */
export interface NewJob<Kind extends JobKind = JobKind> extends JobRow<Kind> {
  readonly known?: JobKnowledge[Kind] | undefined
}
