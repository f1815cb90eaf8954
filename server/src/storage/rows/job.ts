import type { EventType } from '@countersign/contract/events/events'
import type { WebhookFault } from '@countersign/contract/sandbox/faults'

/** The calls to the rail of a payment before the job was made. */
export interface AskedOfRail {
  /** True if the rail was called before. */
  readonly isAsked?: boolean
  /** True if the rail has delivered the payment, and wants another call to say if it came back. */
  readonly mayComeBack?: boolean
}

/** The stored payload of each kind of job. Times are ISO 8601 text, amounts are text of digits. */
export interface JobPayloads {
  /** Customers before this one already have their accounts. */
  'accounts.backfill': { readonly fromCustomerId: string }
  'agent-action.expire': { readonly actionId: string }
  'agent.reject-waiting': { readonly agentId: string }
  'card.provision': { readonly cardId: string }
  'cards.continue': { readonly customerId: string }
  'card.tell-processor': { readonly cardId: string }
  'card-transaction.expire': { readonly cardTransactionId: string }
  'card-transaction.pull': {
    readonly cardTransactionId: string
    readonly fromHold: string
    readonly above: string
    readonly fails: boolean
  }
  'chain.mint': {
    readonly rail: string
    readonly currency: string
    readonly address: string
    readonly amount: string
  }
  /** `isEarly`: what nobody is obliged to keep. `step` and what follows: how far it is, and whether this round has found anything. */
  'customer.erase': {
    readonly customerId: string
    readonly isEarly?: boolean
    readonly step?: string
    readonly after?: string
    readonly hasFound?: boolean
  }
  'customers.import': { readonly importId: string }
  'documents.remove': { readonly customerId: string }
  'invitation.expire': { readonly code: string }
  'message.deliver': { readonly messageId: string }
  /** Announces or pays this date of a schedule. Another date has another job. */
  'payment-schedule.run': { readonly scheduleId: string; readonly date: string }
  /** Checks or sends the next lines of a batch, by its state. */
  'payouts.run': { readonly batchId: string }
  'quote.expire': { readonly quoteId: string }
  /** A report that fits nothing yet, and when it was tried last, as a number of seconds after it came. */
  'rail-payment.cancel': { readonly transactionId: string }
  'rail-event.retry': { readonly railEventId: string; readonly waitedSeconds: number }
  'receipt.expire': { readonly transactionId: string }
  'receipt.settle': { readonly transactionId: string }
  'statement.book': { readonly statementId: string }
  /** `attempt` counts the comparisons before. */
  'statement.compare': { readonly statementId: string; readonly attempt: number }
  'stored-file.remove': { readonly fileId: string }
  /** The files of a platform that was reset. */
  'stored-files.clear': { readonly platformId: string }
  'stablecoin-account.check': { readonly accountId: string }
  'deposit-account.open': { readonly depositAccountId: string }
  'deposit.return': { readonly depositId: string } & AskedOfRail
  /** Somebody has decided about the address that it came from. */
  'deposit.screened': { readonly depositId: string }
  'external-account.check': { readonly externalAccountId: string }
  'transaction.pull': {
    readonly transactionId: string
    readonly executedAt: string
  } & AskedOfRail
  'transaction.refund': { readonly transactionId: string } & AskedOfRail
  'transaction.settle': {
    readonly transactionId: string
    readonly executedAt?: string
  } & AskedOfRail
  'transfer.settle': {
    readonly transactionId: string
    /** Given where the submission is later than the recording of the transfer. */
    readonly submittedAt?: string
  } & AskedOfRail
  'verification.check': { readonly customerId: string }
  'verification.submit': {
    readonly verificationId: string
    readonly submission: number
    /** Until when the provider can read the documents. */
    readonly linkedUntil?: string
  }
  'wallet.repay': { readonly accountId: string; readonly transactionId: string; readonly owed: string }
  'webhook.ask': DeliveryPayload
  'webhook.deliver': DeliveryPayload
  'webhook.replay': ReplayPayload
}

/**
 * The payload of a delivery. With `objectId` it waits for earlier events of that object, and later ones wait for it;
 * `sequence` is set once it was run. With `since` it was requested again at that time, and waits for nothing. In sandbox
 * `fault` says what is to go wrong, or that it has.
 */
export interface DeliveryPayload {
  readonly eventId: string
  readonly objectId?: string
  readonly sequence?: number
  readonly since?: string
  readonly fault?: WebhookFault | 'done'
}

/** Which events are delivered again, and the place in the feed of the last one that was. */
export interface ReplayPayload {
  readonly startDate: string
  readonly endDate: string
  readonly types?: readonly EventType[]
  readonly after?: { readonly committedIn: string; readonly position: string }
}

export type JobKind = keyof JobPayloads

/** The payload of a row that several jobs of one kind share. */
export interface SharedPayload {
  readonly each: readonly JobPayloads[JobKind][]
}

/** A row of `jobs`. Kind and payload belong together, because only `job()` creates rows. */
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
