export type { ChainTransfers, WalletChain } from '../chain-transfers.ts'
export { CheckedPayload, type Expectation } from '../checked-payload.ts'
export { type Confirm, ConfirmationRequiredError, NotConfirmedError } from '../confirm.ts'
export { EnvelopeError } from '../crypto/envelope.ts'
export { type CryptoPort, setCrypto } from '../crypto/port.ts'
export { SealedKeyError } from '../crypto/session-key.ts'
export { DeviceKey } from '../device-key.ts'
export type { Identities, OidcTokenSource } from '../identities.ts'
export type { CodeSignInOptions, EmailCodes, SmsCodes } from '../one-time-codes.ts'
export { onlyQuote } from '../only-quote.ts'
export { browserAuthenticator, type PasskeyAuthenticator } from '../passkey-authenticator.ts'
export type { Passkeys } from '../passkeys.ts'
export { PayloadMismatchError } from '../payload-mismatch.ts'
export { RecipientKey } from '../recipient-key.ts'
export { Session, type SessionRecord, type SignedQuote } from '../session.ts'
export { INDEXED_DB, NO_STORE, type SessionStore } from '../session-store.ts'
export { type SignedAnswer, signed } from '../signed.ts'
export { type SignedCall, signedCall } from '../signed-call.ts'
export type { Signer } from '../signer.ts'
export { isPayment, membersOf, type Payment, type Statement, statementOf } from '../statement.ts'
export { Wallet, type WalletOptions } from '../wallet.ts'
export {
  AmbiguousCredentialError,
  type Credential,
  NoCredentialError,
  type RegisteredCredential,
  type RelyingParty,
  SessionRequiredError,
} from '../wallet-access.ts'
