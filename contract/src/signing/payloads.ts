import { type Static, type TProperties, Type } from 'typebox'
import { ExternalAccountDetails } from '../accounts/account-types.ts'
import { CARD_UPDATE_STATES } from '../cards/cards.ts'
import { EVM_NETWORKS } from '../core/evm.ts'
import { CurrencyCode, EvmAddress, UmaAddress } from '../core/formats.ts'
import { Id, IdOfAny } from '../core/ids.ts'
import { PaymentRail } from '../core/rails.ts'
import { ClientPublicKey, Int64, OneOf, OneOfWords, Tag, Timestamp } from '../core/schema.ts'
import { AuthMethodType } from '../core/signed-retry.ts'

/**
 * The payloads that a wallet signs. Each `payloadToSign` is the JSON of one of these, identified by
 * `operation`. The exception is the second call of a sign-in by code, whose payload is a token (specification
 * 4.5); a payload describes everything that will happen, so that a device can show it and compare it with its
 * own call.
 */

/** The fields common to all payloads, in addition to the fields of the operation. */
function buildPayloadFields<const O extends string>(operation: O) {
  return {
    operation: Tag(operation),
    summary: Type.String({
      description: 'One sentence for the person who signs. Names in it are enclosed in “”',
    }),
    account: Id('InternalAccount', 'The account whose session signs'),
    target: Type.String({ description: 'Method and path of the call, relative to the base address' }),
    bodySha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'SHA-256 of the canonical JSON text of the body, in lower-case hex. A call without a body counts as null',
    }),
    requestId: Id('Request', 'Send it in the Request-Id header, once'),
    expiresAt: Timestamp('The call must arrive before this time'),
  }
}

function payload<const O extends string, P extends TProperties>(operation: O, own: P) {
  return Type.Object({ ...buildPayloadFields(operation), ...own })
}

const Amount = Type.Object({
  amount: Int64({ exclusiveMinimum: 0, description: 'In the smallest unit of the currency' }),
  currency: CurrencyCode,
})

/** The destination of a payment, with the same fields as in the quote. */
export const SignedDestination = OneOf('destinationType', [
  Type.Object({
    destinationType: Tag('ACCOUNT'),
    accountId: IdOfAny(['ExternalAccount', 'InternalAccount']),
    currency: CurrencyCode,
    paymentRail: Type.Optional(PaymentRail),
    accountInfo: Type.Optional(ExternalAccountDetails),
  }),
  Type.Object({ destinationType: Tag('UMA_ADDRESS'), umaAddress: UmaAddress, currency: CurrencyCode }),
])

/**
 * For a wallet on a chain, what the wallet's own key signs: only transfers of one token, by EIP-3009.
 * Contains the full domain, so that a device can compute the hash to be signed.
 */
export const SignedChainTransfers = Type.Object({
  network: OneOfWords(EVM_NETWORKS),
  chainId: Type.Integer({ minimum: 1 }),
  token: Type.Object(
    { currency: CurrencyCode, address: EvmAddress, name: Type.String(), version: Type.String() },
    { description: 'The contract, with the name and version of its EIP-712 domain' },
  ),
  from: EvmAddress,
  validBefore: Timestamp('The chain accepts the transfers only before this time'),
  transfers: Type.Array(
    Type.Object({
      purpose: OneOfWords(
        ['PAYMENT', 'FEE'],
        'PAYMENT: to the payee, or to this server if it pays out elsewhere. FEE: to this server',
      ),
      to: EvmAddress,
      amount: Int64({ exclusiveMinimum: 0, description: 'In the smallest unit of the token' }),
      nonce: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'The chain accepts each nonce once' }),
    }),
    { minItems: 1, maxItems: 2 },
  ),
})

const credentialFields = {
  type: AuthMethodType,
  nickname: Type.String(),
  credentialId: Type.Optional(Type.String({ description: 'PASSKEY: the raw WebAuthn id, base64url' })),
}

/** An existing credential. */
export const SignedCredential = Type.Object({ id: Id('AuthMethod'), ...credentialFields })

/** A credential to be registered, with everything against which its sign-ins will be checked. */
const NewCredential = Type.Object({
  ...credentialFields,
  publicKey: Type.Optional(
    Type.String({ description: 'PASSKEY: the COSE key of the attestation, base64url' }),
  ),
  identity: Type.Optional(
    Type.Object(
      { issuer: Type.String(), audience: Type.String(), subject: Type.String() },
      { description: 'OAUTH: iss, aud and sub of the tokens that will sign in' },
    ),
  ),
})

/**
 * The payload of each signed operation. Agent calls and approvals that execute a quote use the payload of
 * `quote_execute`.
 */
export const PAYLOADS = {
  quote_execute: payload('quote_execute', {
    quote: Id('Quote'),
    sends: Amount,
    feesIncluded: Int64({ minimum: 0, description: 'In the smallest unit of the sent currency' }),
    delivers: Amount,
    destination: SignedDestination,
    chain: Type.Optional(SignedChainTransfers),
  }),
  credential_create: payload('credential_create', { credential: NewCredential }),
  credential_delete: payload('credential_delete', { credential: SignedCredential }),
  credential_verify: payload('credential_verify', {
    credential: SignedCredential,
    clientPublicKey: ClientPublicKey,
  }),
  session_refresh: payload('session_refresh', {
    session: Id('Session'),
    credential: SignedCredential,
    clientPublicKey: ClientPublicKey,
  }),
  session_delete: payload('session_delete', { session: Id('Session'), credential: SignedCredential }),
  internal_account_update: payload('internal_account_update', { privateEnabled: Type.Boolean() }),
  internal_account_export: payload('internal_account_export', { clientPublicKey: ClientPublicKey }),
  customer_update: payload('customer_update', {
    customer: Id('Customer'),
    oldEmail: Type.String(),
    newEmail: Type.String(),
    credentials: Type.Array(SignedCredential, {
      description: 'The credentials whose codes will be sent to newEmail',
    }),
  }),
  card_update: payload('card_update', {
    card: Id('Card'),
    last4: Type.Optional(Type.String()),
    state: Type.Optional(OneOfWords(CARD_UPDATE_STATES)),
    fundingSources: Type.Optional(Type.Array(Id('InternalAccount'))),
  }),
  delegated_key_create: payload('delegated_key_create', {
    card: Id('Card'),
    last4: Type.Optional(Type.String()),
    nickname: Type.String(),
  }),
} as const

export type SignedOperation = keyof typeof PAYLOADS

/** The payload of one operation, or of any operation, as a device parses it. */
export type Payload<O extends SignedOperation = SignedOperation> = {
  [K in O]: Static<(typeof PAYLOADS)[K]>
}[O]

/** The fields that the server adds to every statement. */
type AddedMember = Exclude<keyof ReturnType<typeof buildPayloadFields>, 'operation' | 'summary'>

/** The fields that the operation itself contributes to its payload. */
export type Statement<O extends SignedOperation = SignedOperation> = {
  [K in O]: Omit<Static<(typeof PAYLOADS)[K]>, AddedMember>
}[O]
