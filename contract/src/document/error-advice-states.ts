import type { Advice, CodesOf } from './error-advice-requests.ts'

function adviceForMissing(what: string): Advice {
  return [
    `No ${what} has this id, or the caller has no access to it.`,
    'Check the id and the credentials. Records of other platforms are never visible.',
  ]
}

/** Codes with status 404: the record does not exist or is not visible to the caller. */
export const MISSING_ADVICE = {
  NOT_FOUND: [
    'No endpoint has this path, or it is a sandbox path and the server runs in production.',
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
  SESSION_NOT_FOUND: ['The session does not exist, has expired or was revoked.', 'Sign in again.'],
  BULK_UPLOAD_JOB_NOT_FOUND: adviceForMissing('customer import'),
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
  TREASURY_MOVEMENT_NOT_FOUND: adviceForMissing('treasury movement'),
  TREASURY_KEY_NOT_FOUND: adviceForMissing('treasury key'),
  DEPOSIT_NOT_FOUND: adviceForMissing('deposit'),
  SCREENING_NOT_FOUND: adviceForMissing('screening'),
  FUNDS_HOLD_NOT_FOUND: adviceForMissing('hold'),
  RECONCILIATION_MATCH_NOT_FOUND: adviceForMissing('match'),
  RECONCILIATION_NOT_FOUND: adviceForMissing('reconciliation'),
  RAIL_EVENT_NOT_FOUND: adviceForMissing('rail report'),
  CLIENT_MONEY_REPORT_NOT_FOUND: adviceForMissing('client-money report'),
  LEDGER_TRANSFER_NOT_FOUND: adviceForMissing('ledger transfer'),
  EVENT_NOT_FOUND: adviceForMissing('event'),
  AUDIT_EVENT_NOT_FOUND: adviceForMissing('audit trail entry'),
  LOGGED_REQUEST_NOT_FOUND: [
    'No request has this id, or it is older than the log.',
    'The operator decides for how many days requests are kept.',
  ],
  MEMBER_NOT_FOUND: adviceForMissing('member'),
  MEMBER_ROLE_NOT_FOUND: adviceForMissing('member role'),
  WEBHOOK_ENDPOINT_NOT_FOUND: adviceForMissing('webhook endpoint'),
  TOKEN_NOT_FOUND: adviceForMissing('token'),
  CARD_NOT_FOUND: adviceForMissing('card'),
  CARD_TRANSACTION_NOT_FOUND: adviceForMissing('card purchase'),
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
    'Another request changed the same record at the same time. In the sandbox, also if a test requests this fault.',
    'Read the record again, then repeat the request if it is still needed.',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    'The `Idempotency-Key` was used before, with another request body.',
    'Send a new request with a new key. To repeat the earlier one, send exactly its body.',
  ],
  QUOTE_ALREADY_EXECUTED: [
    'The quote was already executed. `details.status` is its state, or the state of the action in `details.actionId`.',
    'Follow its transaction. To pay again, create another quote.',
  ],
  ACTION_NOT_DECIDED: [
    'An agent has proposed this payment, and the proposal is not decided yet.',
    'Approve or reject the action in `details.actionId`.',
  ],
  ACTION_ALREADY_DECIDED: [
    'The action already has the opposite decision, has failed or has expired.',
    'Read the action. A decision is final; the agent can propose the payment again.',
  ],
  APPROVALS_MISSING: [
    "The request carries the wallet's signature before enough members have approved.",
    'Approve without a signature. The response to the last approval contains the payload to sign.',
  ],
  CANCELLATION_NOT_SUPPORTED: [
    'The payment is with a rail that cannot cancel.',
    'Wait for the outcome of the payment.',
  ],
  PAYMENT_NOT_DECIDABLE: [
    'This payment cannot be decided now. `details.reason` says why: `NOT_GIVEN`, no rail was given it; ' +
      '`NOT_SENT`, it may still be on its way to the rail; `ON_CHAIN`, the chain decides; `LINE_REQUIRED`, ' +
      'a payment from an embedded wallet is decided `DELIVERED` only with lines of a statement; and for ' +
      '`REVERSAL`: `NOT_REVERSIBLE`, it is a pull, no ACH file has carried it, or the rail has another ' +
      "originator now; `TOO_LATE`, the payee's bank would have the reversal after its last day; " +
      '`TOO_MANY`, earlier requests leave no file before that day; `ALREADY_REQUESTED`, a reversal of it ' +
      'has not failed.',
    'Wait for the rail, cancel the payment, or name the lines of the statement that book it.',
  ],
  DEPOSIT_NOT_CORRECTABLE: [
    'The deposit cannot be split, written off or adjusted. `details.reason` says why: `WALLET_ADDRESS`, ' +
      'it is at the address of a wallet; `NOT_BOOKED`, no statement books it; `BOOKED_TWICE`, statements ' +
      'book it more than once; `NO_DIFFERENCE`, its bank has booked its amount; `ALREADY_ADJUSTED`, it was ' +
      'adjusted once; `REVERSED`, its bank has taken it back.',
    'Money at the address of a wallet is assigned to that wallet. Otherwise check the deposit and its statement.',
  ],
  CHART_OF_ACCOUNTS_INCOMPLETE: [
    'The accounting program accepts only accounts of your chart, which lacks the accounts in `details.missing`: kind, rail if any, and currency.',
    'Add entries with `PUT /ledger/chart-of-accounts`. An entry without a currency applies to all currencies.',
  ],
  RECORDS_NOT_MATCHABLE: [
    'A line or a payment cannot be part of this match. `details.reason` says why: `MATCHED`, it is in ' +
      'another match; `BOOKED`, the line is a fee or interest, which needs no match; `PAYMENT_MISSING`, ' +
      'the line books a payment that the match does not name; `PAYMENT_OPEN`, the payment has not ended; ' +
      '`NOTHING_BOOKED`, neither the ledger nor a line has booked the payment. `details.id` names it.',
    'Undo the other match, add the payment, or decide the payment first.',
  ],
  PAYOUT_BATCH_FAULTY: [
    'The check has found lines that cannot be paid, or none that can.',
    'List them with `GET /payouts/batches/{payoutBatchId}/lines?status=FAULTY`. Send them again in another batch, or execute this one with `skipFaulty`.',
  ],
  PAYOUT_FILE_PAID_BEFORE: [
    'A batch with the same file was executed before: `details.payoutBatchId`.',
    'Check that batch. To make its payments again, execute with `payAgain`.',
  ],
  PAYOUT_TOTALS_DIFFERENT: [
    "The totals in the request differ from the batch's totals: the caller has not seen this batch. " +
      '`details.totals` has the totals of the batch.',
    'Read the batch, compare, and execute it with the totals that it shows.',
  ],
  DEPOSIT_NOT_RETURNABLE: [
    'The deposit cannot be returned to its sender. `details.reason` says why: `RETURN_FAILED`, a return ' +
      'was sent and did not arrive; `RETURN_UNAVAILABLE`, the rail does not know its sender; ' +
      '`WALLET_ADDRESS`, it is at the address of a wallet.',
    "Assign the deposit, or pay its sender with a transfer. Money at the address of a wallet can be sent back only by the wallet's holder.",
  ],
  PULL_NEEDS_HOLD: [
    'A rule of `riskConfig.fundsHolds` holds the money that this quote would pull, and the quote would spend it immediately.',
    'Pull the money with `POST /transfer-in`, and pay from the internal account when it is released.',
  ],
  SCREENING_NOT_DECIDED: [
    "The sender's address is on a list, and the screening is not decided yet.",
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
    'Members still have this role: `details.memberCount` is their number.',
    'Find them with `GET /members?roleId=…`, give each another role or single permissions, then delete the role.',
  ],
  LAST_OWNER: [
    'A member requested a change that would leave no active member with every permission.',
    'Give another member every permission first. An API token that has them all, or the operator of the server, is not refused.',
  ],
  MEMBER_EMAIL_EXISTS: [
    'A member with this e-mail address exists: `details.memberId`.',
    'Create a new invitation for that member, or use another address.',
  ],
  TREASURY_KEY_ALREADY_EXISTS: [
    'A rotation of this treasury is waiting for approval.',
    'Approve or cancel the key in `details.treasuryKeyId` first.',
  ],
  OWN_ACCOUNT_ALREADY_EXISTS: [
    'The external account is registered as an account of the operator, or is waiting for approval.',
    'Use the registration in `details.ownAccountId`. To change its rule, remove it and register the account again.',
  ],
  EXTERNAL_ACCOUNT_UNDER_REVIEW: [
    'A rail has reported different details for this external account, and the change is not decided yet.',
    'Confirm the details with the payee, apply or dismiss the change in `details.accountChangeId`, then make the payment again.',
  ],
  EXTERNAL_ACCOUNT_INACTIVE: [
    "The bank of this external account has returned a prenote. The account's `statusReason` says why.",
    'Get the correct details from the payee, remove the account, and add it again.',
  ],
  EXTERNAL_ACCOUNT_CHANGED: [
    'The details of the external account were changed after the quote or the report was made.',
    'Create another quote. Dismiss a change that was reported for the earlier details.',
  ],
  ACCOUNT_VERIFICATION_EXISTS: [
    'The external account is VERIFIED, its verification is PENDING, or deposits of an earlier verification of the same bank account have not ended.',
    'If `details.accountVerificationId` is present, confirm that verification. Otherwise wait until its deposits have ended.',
  ],
  ACCOUNT_VERIFICATION_LIMIT_REACHED: [
    'Within 30 days, deposits were sent 3 times to this account number, for this or other customers, or 10 times to accounts of this customer.',
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
  CONTACT_ALREADY_VERIFIED: ['The contact is already verified.', 'You do not have to do anything.'],
  CONTACT_VERIFICATION_NOT_REQUIRED: [
    'The customer does not have this contact, or your platform does not require its verification.',
    "Read the customer's `contactVerification`. The configuration sets the required contacts.",
  ],
  BENEFICIAL_OWNER_REJECTED: [
    'The business has a rejected beneficial owner: `details.beneficialOwnerId`.',
    'Reject the verification, or have the owner corrected and submitted again.',
  ],
  SUBMISSION_OUTDATED: [
    'The customer was changed after the submission to which the decision applies.',
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
    'The platform already has a replay of events in progress. Only one can run at a time.',
    'Wait until it has ended.',
  ],
  TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL: [
    "The payment was decided, has expired or never needed your platform's approval.",
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
  CUSTOMER_DELETED: ['The customer was deleted.', 'A deleted customer cannot be used any more.'],
} as const satisfies Readonly<Record<CodesOf<409 | 410>, Advice>>
