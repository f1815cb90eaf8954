import { Type } from 'typebox'
import { Plain } from './sensitivity.ts'
import { WALLET_SIGNATURE_HEADER } from './wire-word.ts'

/**
 * All errors of this API (specification 7). A handler can raise only the codes that its endpoint declares.
 * `ERRORS_OF_EVERY_ENDPOINT`, and the codes that follow from an endpoint's `auth`, `signed` and `idempotent`,
 * are raised by the pipeline.
 */
export const ERRORS = {
  INVALID_INPUT: { status: 400, message: 'The request is not valid.' },
  INVALID_UMA_ADDRESS: { status: 400, message: 'The UMA address is not valid.' },
  MISSING_MANDATORY_USER_INFO: {
    status: 400,
    message: 'The receiver needs more information about the sender.',
  },
  SELF_PAYMENT: { status: 400, message: 'The source and the destination are the same account.' },
  INVALID_BANK_ACCOUNT: { status: 400, message: 'The account details are not valid.' },
  INVALID_CURRENCY: { status: 400, message: 'The currency is not valid for this operation.' },
  INVALID_AMOUNT: { status: 400, message: 'The amount is not valid.' },
  AMOUNT_OUT_OF_RANGE: { status: 400, message: 'The amount is outside the limits for this currency.' },
  INSUFFICIENT_BALANCE: { status: 400, message: "The account's available balance is too low." },
  EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS: {
    status: 400,
    message: 'The account already has an e-mail credential.',
  },
  SMS_OTP_CREDENTIAL_ALREADY_EXISTS: { status: 400, message: 'The account already has an SMS credential.' },
  PASSKEY_CREDENTIAL_ALREADY_EXISTS: { status: 400, message: 'This passkey is already registered.' },
  CARDHOLDER_KYC_NOT_APPROVED: { status: 400, message: "The cardholder's verification was rejected." },
  FUNDING_SOURCE_INELIGIBLE: { status: 400, message: 'This account cannot fund the card.' },
  LOW_QUALITY: { status: 400, message: 'The document is not legible enough.' },
  DATA_MISMATCH: { status: 400, message: "The document does not match its holder's data." },
  EXPIRED: { status: 400, message: 'The document has expired.' },
  SUSPECTED_FRAUD: { status: 400, message: 'The document may not be genuine.' },
  UNSUITABLE_DOCUMENT: { status: 400, message: 'This kind of document is not accepted.' },
  INCOMPLETE: { status: 400, message: 'Parts of the document are missing.' },
  STABLECOIN_PROVIDER_ACCOUNT_INVALID: {
    status: 400,
    message: 'The stablecoin provider does not accept these credentials.',
  },
  STABLECOIN_PROVIDER_ACCOUNT_REVOKED: {
    status: 400,
    message: 'The stablecoin provider has withdrawn these credentials.',
  },
  STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED: {
    status: 400,
    message: 'The credentials reach several accounts. Select one with providerAccountId.',
  },
  INVITATIONS_NOT_CONFIGURED: {
    status: 400,
    message: 'The platform has no invitationConfig.url in its configuration.',
  },
  INVITATION_ALREADY_CLAIMED: { status: 400, message: 'The invitation has been claimed.' },
  INVITATION_CANCELLED: { status: 400, message: 'The invitation was canceled.' },
  INVITATION_EXPIRED: { status: 400, message: 'The invitation has expired.' },
  PERIOD_TOO_LONG: {
    status: 400,
    message: 'The period has more movements than one response can hold. Request a shorter period.',
  },
  QUOTE_REQUEST_FAILED: {
    status: 400,
    message: 'The receiving side did not return a quote for this request.',
  },
  QUOTE_EXPIRED: { status: 400, message: 'The quote has expired.' },
  WEBHOOK_ENDPOINT_NOT_SET: {
    status: 400,
    message: 'The platform has no webhookEndpoint. Set it with PATCH /config.',
  },
  UNAUTHORIZED: { status: 401, message: 'The credentials are missing or not valid.' },
  INVALID_SIGNATURE: { status: 401, message: 'The signature header is not valid.' },
  WALLET_SIGNATURE_MISSING: { status: 401, message: `The ${WALLET_SIGNATURE_HEADER} header is required.` },
  WALLET_SIGNATURE_MALFORMED: {
    status: 401,
    message: `The ${WALLET_SIGNATURE_HEADER} header cannot be read.`,
  },
  WALLET_SIGNATURE_BODY_MISMATCH: {
    status: 401,
    message: 'The request differs from the one that was first sent.',
  },
  WALLET_SIGNATURE_INVALID: {
    status: 401,
    message: 'This payload was not signed by an active session of the wallet.',
  },
  REQUEST_ID_MISSING: { status: 401, message: 'The Request-Id header is required with the signature.' },
  FORBIDDEN: { status: 403, message: 'These credentials do not permit this operation.' },
  VELOCITY_LIMIT_EXCEEDED: {
    status: 403,
    message: "The request exceeds a limit of the platform or of the agent's policy.",
  },
  CARD_PAUSED: { status: 403, message: 'Declined: the card is frozen.' },
  CARD_CLOSED: { status: 403, message: 'Declined: the card is closed.' },
  CARD_NOT_ACTIVE: { status: 403, message: 'Declined: the card is not active yet.' },
  CARD_CURRENCY_MISMATCH: { status: 403, message: 'Declined: the card has a different currency.' },
  CARD_INSUFFICIENT_FUNDS: { status: 403, message: 'Declined: no funding source can pay the full amount.' },
  CODE_SIGN_IN_LOCKED: {
    status: 403,
    message:
      'Sign-in by code is locked after 100 wrong codes in a row. A signed operation of the wallet or the operator unlocks it.',
  },
  COUNTERPARTY_NOT_ALLOWED: {
    status: 403,
    message: 'The platform does not allow payments to this provider.',
  },
  USER_NOT_READY: { status: 403, message: 'The customer is not approved yet.' },
  NOT_FOUND: { status: 404, message: 'No endpoint matches this path.' },
  USER_NOT_FOUND: { status: 404, message: 'Customer not found.' },
  ERASURE_NOT_FOUND: { status: 404, message: 'No erasure was requested for this customer.' },
  BENEFICIAL_OWNER_NOT_FOUND: { status: 404, message: 'Beneficial owner not found.' },
  VERIFICATION_NOT_FOUND: { status: 404, message: 'Verification not found.' },
  ACCOUNT_NOT_FOUND: { status: 404, message: 'Account not found.' },
  ACCOUNT_CHANGE_NOT_FOUND: { status: 404, message: 'Change of account details not found.' },
  ACCOUNT_VERIFICATION_NOT_FOUND: { status: 404, message: 'Verification of an external account not found.' },
  MANDATE_NOT_FOUND: { status: 404, message: 'Mandate not found.' },
  CREDENTIAL_NOT_FOUND: { status: 404, message: 'Credential not found.' },
  SESSION_NOT_FOUND: { status: 404, message: 'Session not found.' },
  BULK_UPLOAD_JOB_NOT_FOUND: { status: 404, message: 'Customer import not found.' },
  DOCUMENT_NOT_FOUND: { status: 404, message: 'Document not found.' },
  QUOTE_NOT_FOUND: { status: 404, message: 'Quote not found.' },
  TRANSACTION_NOT_FOUND: { status: 404, message: 'Transaction not found.' },
  PAYOUT_BATCH_NOT_FOUND: { status: 404, message: 'Payout batch not found.' },
  OWN_ACCOUNT_NOT_FOUND: { status: 404, message: 'Own account not found.' },
  PLATFORM_WITHDRAWAL_NOT_FOUND: { status: 404, message: 'Withdrawal not found.' },
  TREASURY_MOVEMENT_NOT_FOUND: { status: 404, message: 'Treasury movement not found.' },
  TREASURY_KEY_NOT_FOUND: { status: 404, message: 'Treasury key not found.' },
  TREASURY_KEY_ALREADY_EXISTS: {
    status: 409,
    message: 'Another key of this treasury is waiting for approval.',
  },
  OWN_ACCOUNT_ALREADY_EXISTS: { status: 409, message: 'This account is already registered.' },
  PAYMENT_SCHEDULE_NOT_FOUND: { status: 404, message: 'Payment schedule not found.' },
  DEPOSIT_NOT_FOUND: { status: 404, message: 'Deposit not found.' },
  SCREENING_NOT_FOUND: { status: 404, message: 'Screening not found.' },
  FUNDS_HOLD_NOT_FOUND: { status: 404, message: 'Hold not found.' },
  RECONCILIATION_MATCH_NOT_FOUND: { status: 404, message: 'Match not found.' },
  RECONCILIATION_NOT_FOUND: { status: 404, message: 'Reconciliation not found.' },
  RAIL_EVENT_NOT_FOUND: { status: 404, message: 'Rail report not found.' },
  CLIENT_MONEY_REPORT_NOT_FOUND: { status: 404, message: 'Client-money report not found.' },
  LEDGER_TRANSFER_NOT_FOUND: { status: 404, message: 'Ledger transfer not found.' },
  EVENT_NOT_FOUND: { status: 404, message: 'Event not found.' },
  AUDIT_EVENT_NOT_FOUND: { status: 404, message: 'Audit trail entry not found.' },
  LOGGED_REQUEST_NOT_FOUND: { status: 404, message: 'Request not found, or its log entry has expired.' },
  MEMBER_NOT_FOUND: { status: 404, message: 'Member not found.' },
  MEMBER_ROLE_NOT_FOUND: { status: 404, message: 'Role not found.' },
  WEBHOOK_ENDPOINT_NOT_FOUND: { status: 404, message: 'Webhook endpoint not found.' },
  TOKEN_NOT_FOUND: { status: 404, message: 'Token not found.' },
  CARD_NOT_FOUND: { status: 404, message: 'Card not found.' },
  CARD_TRANSACTION_NOT_FOUND: { status: 404, message: 'Card transaction not found.' },
  DELEGATED_KEY_NOT_FOUND: { status: 404, message: 'Key not found.' },
  AGENT_NOT_FOUND: { status: 404, message: 'Agent not found.' },
  AGENT_ACTION_NOT_FOUND: { status: 404, message: 'Agent action not found.' },
  DEVICE_CODE_NOT_FOUND: { status: 404, message: 'Device code not found, or no longer valid.' },
  STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND: {
    status: 404,
    message: 'Stablecoin provider account not found.',
  },
  INVITATION_NOT_FOUND: { status: 404, message: 'Invitation not found.' },
  REFERENCE_NOT_FOUND: { status: 404, message: 'No quote is paid under this reference.' },
  UMA_NOT_FOUND: { status: 404, message: 'UMA address not found.' },
  LOOKUP_REQUEST_NOT_FOUND: { status: 404, message: 'Lookup not found, or expired.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This path does not support this method.' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
  CONFLICT: { status: 409, message: 'Another request changed the same record at the same time.' },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    message: 'This Idempotency-Key was already used with another request body.',
  },
  QUOTE_ALREADY_EXECUTED: { status: 409, message: 'The quote was already executed.' },
  ACTION_NOT_DECIDED: {
    status: 409,
    message: 'An agent proposed this payment, and its action is waiting for approval.',
  },
  ACTION_ALREADY_DECIDED: { status: 409, message: 'This action already has a different decision.' },
  APPROVALS_MISSING: {
    status: 409,
    message: 'Other members have to approve this action first. Approve without the signature.',
  },
  CANCELLATION_NOT_SUPPORTED: { status: 409, message: 'The rail of this payment cannot cancel payments.' },
  PAYMENT_NOT_DECIDABLE: { status: 409, message: 'This payment cannot be decided now.' },
  DEPOSIT_NOT_CORRECTABLE: { status: 409, message: 'This deposit cannot be corrected in this way.' },
  CHART_OF_ACCOUNTS_INCOMPLETE: {
    status: 409,
    message: 'The chart of accounts lacks some accounts of the ledger.',
  },
  RECORDS_NOT_MATCHABLE: { status: 409, message: 'These lines and payments cannot be matched.' },
  PAYOUT_BATCH_FAULTY: {
    status: 409,
    message:
      'Some lines of this batch cannot be paid. Correct them in another batch, or execute with skipFaulty.',
  },
  PAYOUT_FILE_PAID_BEFORE: {
    status: 409,
    message: 'Another batch has paid a file with the same content.',
  },
  PAYOUT_TOTALS_DIFFERENT: {
    status: 409,
    message: 'The totals of the batch differ from the request. Read the batch again.',
  },
  PULL_NEEDS_HOLD: {
    status: 409,
    message: 'The platform holds pulled money before it can be spent. Pull it with a transfer first.',
  },
  DEPOSIT_NOT_RETURNABLE: { status: 409, message: 'This deposit cannot be sent back.' },
  SCREENING_NOT_DECIDED: { status: 409, message: 'The address is on a list. Decide the screening first.' },
  PLATFORM_CUSTOMER_ID_EXISTS: {
    status: 409,
    message: 'Another customer has this platformCustomerId.',
  },
  PLATFORM_CARD_ID_EXISTS: { status: 409, message: 'Another card has this platformCardId.' },
  MEMBER_ROLE_NAME_EXISTS: { status: 409, message: 'Another role has this name.' },
  MEMBER_ROLE_IN_USE: {
    status: 409,
    message: 'Members still have this role. Assign them another role first.',
  },
  LAST_OWNER: {
    status: 409,
    message: 'This is the last member with every permission. Give every permission to another member first.',
  },
  MEMBER_EMAIL_EXISTS: { status: 409, message: 'Another member has this e-mail address.' },
  EXTERNAL_ACCOUNT_UNDER_REVIEW: {
    status: 409,
    message: 'A bank reported different details for this account. Apply or dismiss the change first.',
  },
  EXTERNAL_ACCOUNT_INACTIVE: {
    status: 409,
    message: 'The bank of this account refuses payments. Remove the account and add the correct one.',
  },
  EXTERNAL_ACCOUNT_CHANGED: { status: 409, message: 'The details of this account have changed since.' },
  ACCOUNT_VERIFICATION_EXISTS: {
    status: 409,
    message: 'This account is verified, or its verification is in progress.',
  },
  ACCOUNT_VERIFICATION_LIMIT_REACHED: {
    status: 409,
    message: 'This bank account, or accounts of this customer, were verified too often.',
  },
  EXTERNAL_ACCOUNT_ALREADY_EXISTS: { status: 409, message: 'The owner already has this account.' },
  STABLECOIN_PROVIDER_ACCOUNT_ALREADY_LINKED: {
    status: 409,
    message: 'The platform has already linked this account.',
  },
  OAUTH_CREDENTIAL_ALREADY_EXISTS: {
    status: 409,
    message: 'The account already has a credential for this identity.',
  },
  DELEGATED_KEY_ALREADY_EXISTS: {
    status: 409,
    message: 'The card already has a key for this wallet. Revoke that key first.',
  },
  PROCESSOR_EVENT_REUSED: { status: 409, message: 'This id was already used for another event.' },
  CUSTOMER_NOT_EMPTY: {
    status: 409,
    message:
      'The customer still has money or payments in progress. Empty the accounts, wait for the listed payments, then delete the customer.',
  },
  CUSTOMER_NOT_DELETED: {
    status: 409,
    message:
      'Only a deleted customer can be erased. Delete the customer (DELETE /customers/{customerId}), then try again.',
  },
  CUSTOMER_ALREADY_DECIDED: { status: 409, message: 'The customer is already approved or rejected.' },
  CONTACT_NOT_VERIFIED: { status: 409, message: 'A contact of the customer is not verified yet.' },
  CONTACT_ALREADY_VERIFIED: { status: 409, message: 'This contact is already verified.' },
  CONTACT_VERIFICATION_NOT_REQUIRED: { status: 409, message: 'This contact does not have to be verified.' },
  BENEFICIAL_OWNER_REJECTED: {
    status: 409,
    message: 'A beneficial owner is rejected, so the business cannot be approved.',
  },
  SUBMISSION_OUTDATED: {
    status: 409,
    message: 'The customer was changed after this submission. Read the case again, then decide.',
  },
  DOCUMENT_SUBMITTED: {
    status: 409,
    message: 'A verification was submitted with this document. It can neither be replaced nor deleted.',
  },
  REPLAY_IN_PROGRESS: {
    status: 409,
    message: 'A replay of events is in progress. Start another when it has ended.',
  },
  WEBHOOK_ENDPOINT_LIMIT_REACHED: {
    status: 409,
    message: 'The platform has reached its limit of webhook endpoints. Delete one first.',
  },
  TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL: {
    status: 409,
    message: 'This transaction is not waiting for approval by the platform.',
  },
  UMA_ADDRESS_EXISTS: { status: 409, message: 'Another customer has this UMA address.' },
  EMAIL_OTP_EMAIL_ALREADY_EXISTS: {
    status: 409,
    message: 'Another customer signs in to a wallet with this e-mail address.',
  },
  EMAIL_OTP_CREDENTIAL_SET_CHANGED: {
    status: 409,
    message: 'The e-mail credentials have changed since this request was first sent. Start again.',
  },
  INVALID_STATE_TRANSITION: { status: 409, message: 'The record is not in a state that allows this.' },
  CUSTOMER_DELETED: { status: 410, message: 'The customer has been deleted.' },
  UNSUPPORTED_UMA_VERSION: {
    status: 412,
    message: "This server does not support the receiver's version of UMA.",
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large for this endpoint.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The request body must be application/json.' },
  LNURLP_REQUEST_FAILED: { status: 424, message: 'The receiving side did not respond to the lookup.' },
  PAYREQ_REQUEST_FAILED: {
    status: 424,
    message: 'The receiving side did not respond to the payment request.',
  },
  COUNTERPARTY_PUBKEY_FETCH_ERROR: {
    status: 424,
    message: 'The public keys of the receiving side could not be fetched.',
  },
  NO_COMPATIBLE_UMA_VERSION: {
    status: 424,
    message: 'This server does not support any UMA version that the receiving side offers.',
  },
  RATE_LIMITED: { status: 429, message: 'Too many requests. Wait for the time in Retry-After.' },
  SVC_SWITCH_ERROR: { status: 500, message: 'The switch to the receiving side failed.' },
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side.' },
  NOT_IMPLEMENTED: { status: 501, message: 'This server has no provider configured for this operation.' },
  POSITION_LIMIT_REACHED: {
    status: 503,
    message: 'The platform has sold as much of this currency as its position allows. Try again later.',
  },
  UNAVAILABLE: { status: 503, message: 'The service is busy or shutting down. Try again.' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof ERRORS

export const ERROR_CODES: readonly ErrorCode[] = Object.keys(ERRORS).filter(isErrorCode)

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code)
}

/**
 * True if retrying the same request cannot succeed. Only such errors are stored under the idempotency key and
 * replayed.
 */
export function isFinalError(code: ErrorCode): boolean {
  const { status } = ERRORS[code]
  return status < 500 && ![401, 403, 424, 429].includes(status)
}

/** Codes in `details.code`, for cases in which the specification prescribes a more general `code`. */
export const DETAIL_CODES = {
  INVALID_OTP_CODE: 'The one-time code is wrong, or it expired, was used or was replaced by a later one.',
} as const

export type DetailCode = keyof typeof DETAIL_CODES

/**
 * Fields of `details` that are amounts, as integers in the smallest unit of `details.currency`. For a limit
 * on the number of actions, which has no currency, they are counts.
 */
export const DETAIL_AMOUNTS = [
  'asked',
  'available',
  'balance',
  'left',
  'maxAmount',
  'minAmount',
  'required',
  'totalBalance',
  'totalFee',
] as const

export type DetailAmount = (typeof DETAIL_AMOUNTS)[number]

/** The path of the page that explains all codes. */
export const ERROR_PAGE = '/docs/errors'

/** Codes that every endpoint may return. */
export const ERRORS_OF_EVERY_ENDPOINT = [
  'INVALID_INPUT',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/**
 * The body of every error response (specification 7). A 401 has `reason` both at the top level and in
 * `details`.
 */
export const ErrorBody = Type.Object({
  status: Type.Integer({ description: 'The HTTP status' }),
  code: Plain(Type.String()),
  message: Plain(Type.String()),
  docUrl: Plain(Type.String({ description: 'The page that explains when this error occurs and what to do' })),
  reason: Type.Optional(Plain(Type.String({ description: '401 only: which check failed' }))),
  details: Type.Optional(Plain(Type.Record(Type.String(), Type.Unknown()))),
})
