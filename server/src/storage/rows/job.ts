/** The state of the payment at its rail before the job was created. */
export interface RailProgress {
  /** True if the rail has been called. */
  readonly alreadySubmitted?: boolean
  /** True if the rail has delivered the payment but must be asked again whether it was returned. */
  readonly mayComeBack?: boolean
}

/** The stored payload of each kind of job. Times are ISO 8601 strings, amounts are strings of digits. */
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
   * `isEarly`: erases data that no law requires keeping. The other fields say how far the erasure has come,
   * and whether this round has found anything.
   */
  'customer.erase': {
    readonly customerId: string
    readonly isEarly?: boolean
    readonly step?: string
    readonly after?: string
    readonly hasFound?: boolean
    readonly isWaiting?: boolean
  }
  'customers.import': { readonly importId: string }
  'documents.remove': { readonly customerId: string }
  'invitation.expire': { readonly code: string }
  /** Notifies a member of everything that has started to wait since the last digest. */
  'member.digest': { readonly memberId: string }
  'message.deliver': { readonly messageId: string }
  /** Runs the sweep of an operator's account at this time. */
  'own-money.sweep': { readonly ownAccountId: string; readonly at: string }
  /** Announces or pays one date of a schedule. Each date has its own job. */
  'payment-schedule.run': { readonly scheduleId: string; readonly date: string }
  /** Checks or sends the next lines of a batch, depending on its state. */
  'payouts.run': { readonly batchId: string }
  'quote.expire': { readonly quoteId: string }
  'rail-payment.cancel': { readonly transactionId: string }
  /** Retries a report that matches nothing yet. `waitedSeconds`: from its arrival to the last attempt. */
  'rail-event.retry': { readonly railEventId: string; readonly waitedSeconds: number }
  'receipt.expire': { readonly transactionId: string }
  'receipt.settle': { readonly transactionId: string }
  'statement.book': { readonly statementId: string }
  /** `attempt` is the number of earlier comparisons. */
  'statement.compare': { readonly statementId: string; readonly attempt: number }
  'stored-file.remove': { readonly fileId: string }
  /** Deletes the files of a platform that was reset. */
  'stored-files.clear': { readonly platformId: string }
  'stablecoin-account.check': { readonly accountId: string }
  'deposit-account.open': { readonly depositAccountId: string }
  'deposit.return': { readonly depositId: string } & RailProgress
  /** The screening of the sender's address has been decided. */
  'deposit.screened': { readonly depositId: string }
  'external-account.check': { readonly externalAccountId: string }
  /** The banking days for which pulled money is held are over. */
  'funds-hold.release': { readonly fundsHoldId: string }
  /** Settles a treasury movement in a sandbox without a chain. */
  'treasury.settle': { readonly treasuryMovementId: string }
  'transaction.pull': {
    readonly transactionId: string
    readonly executedAt: string
  } & RailProgress
  'transaction.refund': { readonly transactionId: string } & RailProgress
  'transaction.settle': {
    readonly transactionId: string
    readonly executedAt?: string
  } & RailProgress
  'transfer.settle': {
    readonly transactionId: string
    /** Set if the transfer is submitted later than it was recorded. */
    readonly submittedAt?: string
  } & RailProgress
  'verification.check': { readonly customerId: string }
  'verification.submit': {
    readonly verificationId: string
    readonly submission: number
    /** When the provider's access to the documents ends. */
    readonly linkedUntil?: string
  }
  'wallet.repay': { readonly accountId: string; readonly transactionId: string; readonly owed: string }
}

export type JobKind = keyof JobPayloads

/** The payload of a row shared by several jobs of one kind. */
export interface SharedPayload {
  readonly each: readonly JobPayloads[JobKind][]
}

/** A row of `jobs`. Kind and payload always match, because rows are created only by `job()`. */
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
