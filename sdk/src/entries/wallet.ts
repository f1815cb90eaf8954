export { EnvelopeError } from '../crypto/envelope.ts'
export { type CryptoPort, setCrypto } from '../crypto/port.ts'
export { SealedKeyError } from '../crypto/session-key.ts'
export type { ChainTransfers, WalletChain } from '../signing/chain-transfers.ts'
export { CheckedPayload, type Expectation } from '../signing/checked-payload.ts'
export { type Confirm, ConfirmationRequiredError, NotConfirmedError } from '../signing/confirm.ts'
export { onlyQuote } from '../signing/only-quote.ts'
export { PayloadMismatchError } from '../signing/payload-mismatch.ts'
export { type SignedCall, signedCall } from '../signing/signed-call.ts'
export { type SignedAnswer, signed } from '../signing/signed-retry.ts'
export type { Signer } from '../signing/signer.ts'
export { isPayment, membersOf, type Payment, type Statement, statementOf } from '../signing/statement.ts'
export { DeviceKey } from '../wallet/device-key.ts'
export type { Identities, OidcTokenSource } from '../wallet/identity-tokens.ts'
export type { CodeSignInOptions, EmailCodes, SmsCodes } from '../wallet/one-time-codes.ts'
export { browserAuthenticator, type PasskeyAuthenticator } from '../wallet/passkey-authenticator.ts'
export type { Passkeys } from '../wallet/passkeys.ts'
export { RecipientKey } from '../wallet/recipient-key.ts'
export { Session, type SessionRecord, type SignedQuote } from '../wallet/session.ts'
export { INDEXED_DB, NO_STORE, type SessionStore } from '../wallet/session-store.ts'
export { Wallet, type WalletOptions } from '../wallet/wallet.ts'
export {
  AmbiguousCredentialError,
  type Credential,
  NoCredentialError,
  type RegisteredCredential,
  type RelyingParty,
  SessionRequiredError,
} from '../wallet/wallet-access.ts'
