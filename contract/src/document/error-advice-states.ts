import type { Advice, CodesOf } from './error-advice-requests.ts'

function adviceForMissing(what: string): Advice {
  return [
    `No ${what} has this id, or it belongs to somebody whom the caller may not see.`,
    'Check the id and the credentials. Records of other platforms are never visible.',
  ]
}

/** Codes with status 404: the record does not exist or is not visible to the caller. */
export const MISSING_ADVICE = {
  NOT_FOUND: [
    'No endpoint has this path, or the path is of the sandbox and the server is in production.',
    'Check the path and its version. `details.path`, if present, is the one that was probably meant.',
  ],
  USER_NOT_FOUND: adviceForMissing('customer'),
  ERASURE_NOT_FOUND: [
    'The erasure of this customer has not been requested.',
    'Request it with `POST /customers/{customerId}/erasure`.',
  ],
  BENEFICIAL_OWNER_NOT_FOUND: adviceForMissing('beneficial owner'),
  VERIFICATION_NOT_FOUND: adviceForMissing('verification'),
  ACCOUNT_NOT_FOUND: adviceForMissing('account'),
  ACCOUNT_CHANGE_NOT_FOUND: adviceForMissing('change of account details'),
  ACCOUNT_VERIFICATION_NOT_FOUND: adviceForMissing('verification of an external account'),
  MANDATE_NOT_FOUND: adviceForMissing('mandate'),
  CREDENTIAL_NOT_FOUND: adviceForMissing('credential'),
  SESSION_NOT_FOUND: ['The session does not exist, has expired or was ended.', 'Sign in again.'],
  BULK_UPLOAD_JOB_NOT_FOUND: adviceForMissing('import of customers'),
  DOCUMENT_NOT_FOUND: adviceForMissing('document'),
  QUOTE_NOT_FOUND: [
    'No quote has this id, or another platform or another agent created it.',
    'Check the id. An agent sees only the quotes that it created.',
  ],
  TRANSACTION_NOT_FOUND: adviceForMissing('transaction'),
  PAYOUT_BATCH_NOT_FOUND: adviceForMissing('payout batch'),
  PAYMENT_SCHEDULE_NOT_FOUND: adviceForMissing('payment schedule'),
  OWN_ACCOUNT_NOT_FOUND: adviceForMissing('account of the operator'),
  PLATFORM_WITHDRAWAL_NOT_FOUND: adviceForMissing('withdrawal'),
  TREASURY_MOVEMENT_NOT_FOUND: adviceForMissing('movement of the treasury'),
  TREASURY_KEY_NOT_FOUND: adviceForMissing('key of the treasury'),
  DEPOSIT_NOT_FOUND: adviceForMissing('deposit'),
  SCREENING_NOT_FOUND: adviceForMissing('screening'),
  FUNDS_HOLD_NOT_FOUND: adviceForMissing('hold'),
  RECONCILIATION_MATCH_NOT_FOUND: adviceForMissing('match'),
  RECONCILIATION_NOT_FOUND: adviceForMissing('reconciliation'),
  RAIL_EVENT_NOT_FOUND: adviceForMissing('rail report'),
  CLIENT_MONEY_REPORT_NOT_FOUND: adviceForMissing('client-money report'),
  LEDGER_TRANSFER_NOT_FOUND: adviceForMissing('ledger transfer'),
  EVENT_NOT_FOUND: adviceForMissing('event'),
  AUDIT_EVENT_NOT_FOUND: adviceForMissing('entry of the audit trail'),
  LOGGED_REQUEST_NOT_FOUND: [
    'No request has this id, or it is older than the log.',
    'The operator decides how many days the request log keeps.',
  ],
  MEMBER_NOT_FOUND: adviceForMissing('member'),
  MEMBER_ROLE_NOT_FOUND: adviceForMissing('role of members'),
  WEBHOOK_ENDPOINT_NOT_FOUND: adviceForMissing('webhook endpoint'),
  TOKEN_NOT_FOUND: adviceForMissing('token'),
  CARD_NOT_FOUND: adviceForMissing('card'),
  CARD_TRANSACTION_NOT_FOUND: adviceForMissing('purchase'),
  DELEGATED_KEY_NOT_FOUND: adviceForMissing('delegated key'),
  AGENT_NOT_FOUND: adviceForMissing('agent'),
  AGENT_ACTION_NOT_FOUND: adviceForMissing('action'),
  DEVICE_CODE_NOT_FOUND: [
    'The device code is wrong, was redeemed or has expired.',
    'Create another one with `POST /agents/{agentId}/device-codes`.',
  ],
  STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND: adviceForMissing('account at a stablecoin provider'),
  INVITATION_NOT_FOUND: adviceForMissing('invitation'),
  REFERENCE_NOT_FOUND: [
    'A payment in states a reference that belongs to no quote of the platform.',
    'Copy the `reference` from the `paymentInstructions` of the quote.',
  ],
  UMA_NOT_FOUND: [
    'The UMA address is well formed, but no customer receives payments at it.',
    'Check the address with the receiver.',
  ],
  LOOKUP_REQUEST_NOT_FOUND: [
    'The lookup does not exist or has expired.',
    'Look the receiver up again and use the new `lookupId`.',
  ],
} as const satisfies Readonly<Record<CodesOf<404>, Advice>>

/** Codes with status 409 or 410: the state of a record does not permit the call. */
export const STATE_ADVICE = {
  CONFLICT: [
    'Another request changed the same record at the same time. In the sandbox also when a test asks for a 409.',
    'Read the record again, then repeat the request if it is still needed.',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    'The `Idempotency-Key` was used before, with another request body.',
    'Send a new request with a new key. To repeat the earlier one, send exactly its body.',
  ],
  QUOTE_ALREADY_EXECUTED: [
    'The quote was executed before. `details.status` is its state, or the state of the action in `details.actionId`.',
    'Follow its transaction. To pay once more, create another quote.',
  ],
  ACTION_NOT_DECIDED: [
    'An agent has proposed this payment, and it is not decided yet.',
    'Approve or reject the action in `details.actionId`.',
  ],
  ACTION_ALREADY_DECIDED: [
    'The action was decided the other way, has failed or has expired.',
    'Read the action. A decision is final; the agent can propose the payment again.',
  ],
  APPROVALS_MISSING: [
    'The request carries the signature of the wallet before enough members have approved.',
    'Approve without a signature. The response to the last approval contains the payload to sign.',
  ],
  CANCELLATION_NOT_SUPPORTED: [
    'The payment is with a rail that cannot cancel.',
    'Wait for the outcome of the payment.',
  ],
  PAYMENT_NOT_DECIDABLE: [
    "No person decides about this payment now. `details.reason` says why: `NOT_GIVEN`, no rail was given it; `NOT_SENT`, it may still be on its way to the rail; `ON_CHAIN`, the chain decides; `LINE_REQUIRED`, a payment from an embedded wallet is decided `DELIVERED` only with lines of a statement; and for `REVERSAL`: `NOT_REVERSIBLE`, it is a pull, no ACH file has carried it, or the rail has another originator now; `TOO_LATE`, the payee's bank would have the reversal after its last day; `TOO_MANY`, earlier requests leave no file before that day; `ALREADY_REQUESTED`, a reversal of it has not failed.",
    'Wait for the rail, cancel the payment, or name the lines of the statement that book it.',
  ],
  DEPOSIT_NOT_CORRECTABLE: [
    'The deposit cannot be split, written off or adjusted. `details.reason` says why: `WALLET_ADDRESS`, it is at the own address of a wallet; `NOT_BOOKED`, no statement books it; `BOOKED_TWICE`, statements book it more than once; `NO_DIFFERENCE`, its bank has booked its amount; `ALREADY_ADJUSTED`, it was adjusted once; `REVERSED`, its bank has taken it back.',
    'Money at the address of a wallet is assigned to that wallet. Otherwise look at the deposit and its statement.',
  ],
  CHART_OF_ACCOUNTS_INCOMPLETE: [
    'The accounting program takes only accounts of your chart, which lacks the accounts in `details.missing`: kind, rail if any, and currency.',
    'Add entries with `PUT /ledger/chart-of-accounts`. An entry without a currency counts for all of them.',
  ],
  RECORDS_NOT_MATCHABLE: [
    'A line or a payment cannot be part of this match. `details.reason` says why: `MATCHED`, it is in another match; `BOOKED`, the line is a fee or interest, which needs no match; `PAYMENT_MISSING`, the line books a payment that the match does not name; `PAYMENT_OPEN`, the payment has not ended; `NOTHING_BOOKED`, neither the books nor a line have anything of the payment. `details.id` names it.',
    'Undo the other match, add the payment, or decide about the payment first.',
  ],
  PAYOUT_BATCH_FAULTY: [
    'The check has found lines that cannot be paid, or none that can.',
    'List them with `GET /payouts/batches/{payoutBatchId}/lines?status=FAULTY`. Send them again in another batch, or execute this one with `skipFaulty`.',
  ],
  PAYOUT_FILE_PAID_BEFORE: [
    'A batch with the same file was executed before: `details.payoutBatchId`.',
    'Look at that batch. If its payments are to be made once more, execute with `payAgain`.',
  ],
  PAYOUT_TOTALS_DIFFERENT: [
    'The request states other totals than the batch has: it is not the batch that its caller has seen. `details.totals` has the totals of the batch.',
    'Read the batch, compare, and execute it with the totals that it shows.',
  ],
  DEPOSIT_NOT_RETURNABLE: [
    'The deposit cannot go back to its sender. `details.reason` says why: `RETURN_FAILED`, it was sent back once and did not arrive; `RETURN_UNAVAILABLE`, the rail does not know its sender; `WALLET_ADDRESS`, it is at the own address of a wallet.',
    'Assign the deposit, or pay its sender by a transfer. Money at the address of a wallet is sent back by its holder.',
  ],
  PULL_NEEDS_HOLD: [
    'A rule of `riskConfig.fundsHolds` holds the money that this quote would pull, and the quote would spend it immediately.',
    'Pull the money with `POST /transfer-in`, and pay from the internal account when it is released.',
  ],
  SCREENING_NOT_DECIDED: [
    'The address that the money came from is on a list, and the screening is not decided yet.',
    'Decide the screening in `details.screeningId`, then the deposit.',
  ],
  PLATFORM_CUSTOMER_ID_EXISTS: [
    'Another customer has this `platformCustomerId`.',
    'Find that customer with `GET /customers?platformCustomerId=…`, or choose another id.',
  ],
  PLATFORM_CARD_ID_EXISTS: [
    'Another card has this `platformCardId`.',
    'Find that card in `GET /cards`, or choose another id.',
  ],
  MEMBER_ROLE_NAME_EXISTS: [
    'A role with this name exists: `details.memberRoleId`.',
    'Change that role, or choose another name.',
  ],
  MEMBER_ROLE_IN_USE: [
    'Members have this role: `details.memberCount`.',
    'Find them with `GET /members?roleId=…`, give each another role or single permissions, then delete the role.',
  ],
  LAST_OWNER: [
    'The change would leave no active member with every permission, and a member asked for it.',
    'Give another member every permission first. An API token that has them all, or the operator of the server, is not refused.',
  ],
  MEMBER_EMAIL_EXISTS: [
    'A member with this e-mail address exists: `details.memberId`.',
    'Create a new invitation for that member, or use another address.',
  ],
  TREASURY_KEY_ALREADY_EXISTS: [
    'A rotation of this treasury waits for its approval.',
    'Approve or cancel the key in `details.treasuryKeyId` first.',
  ],
  OWN_ACCOUNT_ALREADY_EXISTS: [
    'The external account is registered as an account of the operator, or waits for its approval.',
    'Use the registration in `details.ownAccountId`. To change its rule, remove it and register the account again.',
  ],
  EXTERNAL_ACCOUNT_UNDER_REVIEW: [
    'A rail has reported other details of this external account, and nobody has decided about them.',
    'Ask the payee, then apply or dismiss the change in `details.accountChangeId`, and make the payment again.',
  ],
  EXTERNAL_ACCOUNT_INACTIVE: [
    'The bank of this external account has returned a prenote. `statusReason` of the account says why.',
    'Ask the payee for the correct details, remove the account, and add it again.',
  ],
  EXTERNAL_ACCOUNT_CHANGED: [
    'The details of the external account were changed after the quote or the report was made.',
    'Create another quote. Dismiss a change that was reported for the earlier details.',
  ],
  ACCOUNT_VERIFICATION_EXISTS: [
    'The external account is VERIFIED, a verification of it is PENDING, or deposits of an earlier one to the same bank account have not ended.',
    'If `details.accountVerificationId` is present, confirm that verification. Otherwise wait until its deposits have ended.',
  ],
  ACCOUNT_VERIFICATION_LIMIT_REACHED: [
    'In 30 days, deposits were sent to this account number 3 times, for this customer or others, or to accounts of this customer 10 times.',
    'Try again at `details.possibleAt`.',
  ],
  EXTERNAL_ACCOUNT_ALREADY_EXISTS: [
    'The customer or the platform already has this account.',
    'Use `details.externalAccountId`.',
  ],
  STABLECOIN_PROVIDER_ACCOUNT_ALREADY_LINKED: [
    'The platform has already linked this account, and it is active.',
    'Use `details.stablecoinProviderAccountId`.',
  ],
  OAUTH_CREDENTIAL_ALREADY_EXISTS: [
    'The wallet already has a credential for this identity.',
    'Sign in with that credential.',
  ],
  DELEGATED_KEY_ALREADY_EXISTS: [
    'The card already has an active key for this wallet: `details.delegatedKeyId`.',
    'Use that key, or revoke it first.',
  ],
  PROCESSOR_EVENT_REUSED: [
    'The card processor has used this `token` or `eventId` for another event.',
    'Give each event its own id. A repeated event must be the same in every field.',
  ],
  CUSTOMER_NOT_EMPTY: [
    'The customer still has money, or payments or purchases in progress.',
    'Empty `details.accounts`, wait for `details.transactions` and `details.cardTransactions`, then delete.',
  ],
  CUSTOMER_NOT_DELETED: [
    'Only a deleted customer can be erased.',
    'Delete the customer with `DELETE /customers/{customerId}`, then request the erasure.',
  ],
  CUSTOMER_ALREADY_DECIDED: [
    'The customer is already approved or rejected, so there is nothing to verify.',
    'Read the status of the customer.',
  ],
  CONTACT_NOT_VERIFIED: [
    'Your platform requires verified contacts, and `details.contact` of the customer is not.',
    'Verify it first: `POST /customers/{customerId}/verify-email` or `…/verify-phone`.',
  ],
  CONTACT_ALREADY_VERIFIED: ['The contact is already verified.', 'Nothing is left to do.'],
  CONTACT_VERIFICATION_NOT_REQUIRED: [
    'The customer does not have this contact, or your platform does not require its verification.',
    'Read `contactVerification` of the customer; set what is required in the configuration.',
  ],
  BENEFICIAL_OWNER_REJECTED: [
    'The business has a rejected owner: `details.beneficialOwnerId`.',
    'Reject the verification, or have the owner corrected and submitted again.',
  ],
  SUBMISSION_OUTDATED: [
    'The customer was changed after the submission that the decision is about.',
    'Read the verification again, then decide on its current `submission`.',
  ],
  DOCUMENT_SUBMITTED: [
    'A verification was submitted with this document.',
    'Upload another document; this one stays as evidence.',
  ],
  WEBHOOK_ENDPOINT_LIMIT_REACHED: [
    'The platform already has 20 webhook endpoints.',
    'Delete one with `DELETE /webhook-endpoints/{webhookEndpointId}`, or let one endpoint receive more event types.',
  ],
  REPLAY_IN_PROGRESS: [
    'The platform is already delivering a span of events again; one replay runs at a time.',
    'Wait until it has ended.',
  ],
  TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL: [
    'The payment was decided, has expired or never waited for your platform.',
    'Read the transaction: `details.status` is its state.',
  ],
  UMA_ADDRESS_EXISTS: ['Another customer has this UMA address.', 'Choose another address.'],
  EMAIL_OTP_EMAIL_ALREADY_EXISTS: [
    'Another customer signs in to a wallet with this e-mail address.',
    'Use another address, or delete the other customer.',
  ],
  EMAIL_OTP_CREDENTIAL_SET_CHANGED: [
    'Between the first call and its signed retry, the e-mail credentials have changed.',
    'Start again without a signature.',
  ],
  INVALID_STATE_TRANSITION: [
    'The record is in a state that does not allow this, such as a closed card.',
    'Read the record. Its guide has the table of states.',
  ],
  CUSTOMER_DELETED: ['The customer was deleted.', 'Nothing can be done for this customer any more.'],
} as const satisfies Readonly<Record<CodesOf<409 | 410>, Advice>>
