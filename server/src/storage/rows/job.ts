/** Calls to the rail of a payment before the job was made. */
export interface AskedOfRail {
  /** True if the rail was called before. */
  readonly alreadySubmitted?: boolean
  /**
   * True if the rail has delivered the payment, and must be called again to learn whether it was returned.
   */
  readonly mayComeBack?: boolean
}

/** The stored payload per job kind. Times are ISO 8601 strings, amounts are digit strings. */
export interface JobPayloads {
  /** Customers before this one already have their accounts. */
  'accounts.backfill': { readonly fromCustomerId: string }
  'account-verification.expire': { readonly accountVerificationId: string }
  'agent-action.expire': { readonly actionId: string }
  'agent.reject-waiting': { readonly agentId: string }
  'card.provision': { readonly cardId: string }
  'cards.continue': { readonly customerId: string }
  'card.notify-processor': { readonly cardId: string }
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
  /**
   * `isEarly`: data that no law requires keeping. The other fields are the position of the erasure, and
   * whether this round has found anything.
   */
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
  /** Reports to a member what began to wait since its last digest. */
  'member.digest': { readonly memberId: string }
  'message.deliver': { readonly messageId: string }
  /** Sweeps an account of the operator at this time. */
  'own-money.sweep': { readonly ownAccountId: string; readonly at: string }
  /** Announces or pays this date of a schedule. Another date has another job. */
  'payment-schedule.run': { readonly scheduleId: string; readonly date: string }
  /** Checks or sends the next lines of a batch, by its state. */
  'payouts.run': { readonly batchId: string }
  'quote.expire': { readonly quoteId: string }
  /** A report that matches nothing yet, with the seconds after its arrival of the last attempt. */
  'rail-payment.cancel': { readonly transactionId: string }
  'rail-event.retry': { readonly railEventId: string; readonly waitedSeconds: number }
  'receipt.expire': { readonly transactionId: string }
  'receipt.settle': { readonly transactionId: string }
  'statement.book': { readonly statementId: string }
  /** `attempt` counts earlier comparisons. */
  'statement.compare': { readonly statementId: string; readonly attempt: number }
  'stored-file.remove': { readonly fileId: string }
  /** The files of a platform that was reset. */
  'stored-files.clear': { readonly platformId: string }
  'stablecoin-account.check': { readonly accountId: string }
  'deposit-account.open': { readonly depositAccountId: string }
  'deposit.return': { readonly depositId: string } & AskedOfRail
  /** The screening of the sender's address was decided. */
  'deposit.screened': { readonly depositId: string }
  'external-account.check': { readonly externalAccountId: string }
  /** A pulled-money hold's banking days are over. */
  'funds-hold.release': { readonly fundsHoldId: string }
  /** Moves the money of a movement in a sandbox without a chain. */
  'treasury.settle': { readonly treasuryMovementId: string }
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
    /** Set if the submission is later than the recording of the transfer. */
    readonly submittedAt?: string
  } & AskedOfRail
  'verification.check': { readonly customerId: string }
  'verification.submit': {
    readonly verificationId: string
    readonly submission: number
    /** The time until which the provider can read the documents. */
    readonly linkedUntil?: string
  }
  'wallet.repay': { readonly accountId: string; readonly transactionId: string; readonly owed: string }
}

export type JobKind = keyof JobPayloads

/** The payload of a row that several jobs of one kind share. */
export interface SharedPayload {
  readonly each: readonly JobPayloads[JobKind][]
}

/** A row of `jobs`. Kind and payload match, because only `job()` creates rows. */
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
