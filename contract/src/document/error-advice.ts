import { ERRORS, type ErrorCode, isFinalError } from '../core/errors.ts'
import { WALLET_SIGNATURE_HEADER } from '../core/wire-word.ts'
import { type Advice, type CodesOf, REQUEST_ADVICE } from './error-advice-requests.ts'
import { MISSING_ADVICE, STATE_ADVICE } from './error-advice-states.ts'

const SIGN_AGAIN = 'Make the call again without a signature, and sign the new `payloadToSign`.'

/** Codes with status 401 or 403: authentication, signatures and permissions. */
const PERMISSION_ADVICE = {
  UNAUTHORIZED: [
    'Credentials, a one-time code, a passkey, an identity token or a signing request were not accepted. `reason` names the check that failed.',
    'Check the credentials, or sign in again. For a wrong one-time code `details.code` is `INVALID_OTP_CODE`.',
  ],
  INVALID_SIGNATURE: [
    'The signature of a card processor, rail or verification provider does not match the body.',
    'Sign the exact bytes of the body with the shared secret.',
  ],
  WALLET_SIGNATURE_MISSING: [
    'The request has a `Request-Id` but no signature.',
    `Send the stamp in \`${WALLET_SIGNATURE_HEADER}\`.`,
  ],
  WALLET_SIGNATURE_MALFORMED: [
    'The stamp cannot be read: its encoding, its structure or a field is wrong.',
    'Build the stamp as [signing](signing.md) says: base64url of `publicKey`, `scheme` and `signature`.',
  ],
  WALLET_SIGNATURE_BODY_MISMATCH: [
    'The signed retry differs from the first call, in its path or its body.',
    `Repeat the first call exactly. To change it: ${SIGN_AGAIN}`,
  ],
  WALLET_SIGNATURE_INVALID: [
    'The signature is not by an active session of this wallet, or not over the exact payload.',
    'Sign the exact characters of `payloadToSign` with the key of an active session.',
  ],
  REQUEST_ID_MISSING: [
    'The request has a signature but no `Request-Id`.',
    'Send the `requestId` of the first response as `Request-Id`.',
  ],
  FORBIDDEN: [
    'The credentials are valid but do not permit this. An agent may be denied by its policy.',
    'Use credentials with the permission in `details.permission`, or change the policy whose rule is in `details.rule`.',
  ],
  VELOCITY_LIMIT_EXCEEDED: [
    "The request exceeds a limit of the agent's policy or of `riskConfig`. `details` has the rule, and " +
      'in `asked` and `left` the requested and the remaining amount.',
    'Request less, wait for the next day or month, or raise the limit.',
  ],
  CARD_PAUSED: ['The purchase is declined because the card is frozen.', 'Unfreeze the card.'],
  CARD_CLOSED: ['The purchase is declined because the card is closed.', 'Issue another card.'],
  CARD_NOT_ACTIVE: [
    'The purchase is declined because the card is not active yet.',
    'Wait for `CARD.STATE_CHANGE` to `ACTIVE`.',
  ],
  CARD_CURRENCY_MISMATCH: [
    'The purchase is declined because it is in another currency than the card.',
    "Authorize in the card's currency.",
  ],
  CARD_INSUFFICIENT_FUNDS: [
    'The purchase is declined because no funding source can pay all of it.',
    'Add money to a funding source, or add another source.',
  ],
  CODE_SIGN_IN_LOCKED: [
    'There were 100 wrong codes in a row for this wallet.',
    'The customer signs in with another credential and signs any operation, or the operator unlocks the wallet.',
  ],
  COUNTERPARTY_NOT_ALLOWED: [
    'Your platform does not allow payments to the provider in `details.domain`.',
    'Change the list of providers in the configuration, or choose another receiver.',
  ],
  USER_NOT_READY: [
    'The customer is not approved yet, so their money cannot move.',
    'Wait for `CUSTOMER.KYC_APPROVED` or `CUSTOMER.KYB_APPROVED`.',
  ],
} as const satisfies Readonly<Record<CodesOf<401 | 403>, Advice>>

/** Codes for violations of HTTP rules, for failures of other systems, and for failures of this server. */
const SYSTEM_ADVICE = {
  METHOD_NOT_ALLOWED: ['The path exists, but not for this method.', 'Use a method that `Allow` lists.'],
  REQUEST_TIMEOUT: [
    'The request did not arrive completely in time.',
    'Send it again; for a large file use a faster connection.',
  ],
  UNSUPPORTED_UMA_VERSION: [
    'The receiver supports no version of UMA that this server supports.',
    'Pay the receiver in another way.',
  ],
  PAYLOAD_TOO_LARGE: [
    'The body or the file is larger than this endpoint accepts.',
    'Send less. `details` has the maximum number of bytes.',
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    'The `Content-Type` or the `Content-Encoding` is not accepted.',
    'Send `application/json`, or `multipart/form-data` for a file, without compression.',
  ],
  LNURLP_REQUEST_FAILED: ["The receiver's provider did not respond to the lookup.", 'Try again later.'],
  PAYREQ_REQUEST_FAILED: [
    "The receiver's provider did not respond to the payment request.",
    'Try again later.',
  ],
  COUNTERPARTY_PUBKEY_FETCH_ERROR: [
    "The public keys of the receiver's provider could not be fetched.",
    'Try again later.',
  ],
  NO_COMPATIBLE_UMA_VERSION: [
    "This server supports no version of UMA that the receiver's provider offers.",
    'Pay the receiver in another way.',
  ],
  RATE_LIMITED: [
    'Too many requests, or too many attempts at a secret.',
    'Wait for the number of seconds in `Retry-After`.',
  ],
  SVC_SWITCH_ERROR: [
    'The switch between this server and the receiving side failed. No quote was made and no money moved.',
    'Try again later.',
  ],
  INTERNAL_ERROR: [
    'The server has an internal error.',
    'Repeat the request with the same key. If the error persists, give the operator the `X-Request-Id`.',
  ],
  NOT_IMPLEMENTED: [
    'The operator has not configured what this call depends on, such as a rail, a rate or a card processor.',
    'Contact the operator of the server. `message` says what is missing.',
  ],
  POSITION_LIMIT_REACHED: [
    'The platform has sold as much of the currency in `details.currency` as its position allows.',
    'Wait for the number of seconds in `Retry-After`, or have the position refilled.',
  ],
  UNAVAILABLE: [
    'The server is busy, is stopping, or cannot reach its database or a provider.',
    'Wait for the number of seconds in `Retry-After`.',
  ],
} as const satisfies Readonly<
  Record<CodesOf<405 | 408 | 412 | 413 | 415 | 424 | 429 | 500 | 501 | 503>, Advice>
>

/** When each code occurs and what to do. A missing code is a compile error. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  ...REQUEST_ADVICE,
  ...PERMISSION_ADVICE,
  ...MISSING_ADVICE,
  ...STATE_ADVICE,
  ...SYSTEM_ADVICE,
}

/** Says whether the same request may be sent again. */
export function retryAdvice(code: ErrorCode): string {
  const { status } = ERRORS[code]
  if (code === 'CONFLICT') return 'Yes, after reading the record again. Use a new `Idempotency-Key`.'
  if (status === 429) return 'Yes. Nothing was done: send the same request with the same `Idempotency-Key`.'
  // The database connection may have been lost after the commit.
  if (status === 500 || status === 503)
    return 'Yes, with the same `Idempotency-Key`, so that nothing happens twice. Without a key, first check whether it was done.'
  if (status === 408 || status === 424) return 'Yes, with the same `Idempotency-Key`.'
  if ([405, 413, 415].includes(status)) return 'No. The same request gets the same error.'
  if (isFinalError(code))
    return 'No: the same request gets the same error. Use a new `Idempotency-Key` once the cause is resolved.'
  return 'Not yet. Once the cause is resolved, the same request with the same `Idempotency-Key` is accepted.'
}
