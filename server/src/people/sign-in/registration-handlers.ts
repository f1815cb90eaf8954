import type { credentialRegistration } from '@countersign/contract/auth/credential-registration'
import { present } from '@countersign/contract/core/objects'
import { findEmbeddedWallet, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers, StaleRead } from '../../kernel/operation/operation.ts'
import { SIGNING_SECONDS } from '../../kernel/signing/signing.ts'
import { insert, update } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { CredentialRow, InternalAccountRow } from '../../storage/rows/tables.ts'
import {
  findCredential,
  findCredentials,
  markCredentialsChanged,
  toCredentialView,
} from '../credentials/credentials.ts'
import { describeCredential, toSignedCredential } from '../credentials/describe.ts'
import { findCustomer } from '../customers/customers.ts'
import { countMessage } from '../messages/message-limits.ts'
import { CREDENTIAL_KINDS } from './credential-kinds.ts'
import { endCredentialSessions } from './sessions.ts'
import { hasHadCredentials } from './store.ts'

export const credentialRegistrationHandlers: Handlers<typeof credentialRegistration> = {
  /**
   * Registers a wallet's first credential immediately, and any other with the signature of a session
   * (specification 4.1).
   */
  credential_create: {
    async toSign(op, { body }) {
      const account = await findSignInWallet(op, body.accountId)
      if (!(await hasHadCredentials(op, account.id))) return null
      // Check the registration before the customer has to sign.
      const { credential } = await CREDENTIAL_KINDS[body.type].register(op, account, body)
      return {
        accountId: account.id,
        statement: {
          operation: 'credential_create',
          summary: `Add a way to sign in to this wallet: ${describeCredential(credential)}`,
          credential: toProposedCredential(credential),
        },
        expiresAt: addSeconds(op.now, SIGNING_SECONDS),
        credentialType: body.type,
      }
    },

    async handle(op, { body, approval }) {
      const account = await findSignInWallet(op, body.accountId)
      // This call needed no signature, but another call has registered the first credential in the meantime.
      if (!approval && (await hasHadCredentials(op, account.id)))
        throw new StaleRead('The wallet already has a credential')
      const { credential, writes, bundle } = await CREDENTIAL_KINDS[body.type].register(op, account, body)
      if (bundle) await countMessage(op, requireColumn(credential, 'contact'))
      return {
        status: 201,
        body: { ...toCredentialView(credential), ...(bundle ? { otpEncryptionTargetBundle: bundle } : {}) },
        writes: [insert('credentials', credential), ...writes, markCredentialsChanged(op, account)],
      }
    },
  },

  /**
   * Revokes a credential with the signature of a session that another credential of the wallet created. The
   * last credential cannot be revoked (specification 4.3).
   */
  credential_delete: {
    async toSign(op, { params }) {
      const { credential } = await findRevocable(op, params.id)
      return {
        accountId: credential.account_id,
        statement: {
          operation: 'credential_delete',
          summary: `Remove a way to sign in to this wallet: ${describeCredential(credential)}`,
          credential: toSignedCredential(credential),
        },
        expiresAt: addSeconds(op.now, SIGNING_SECONDS),
        credentialType: credential.type,
      }
    },

    async handle(op, { params, approval }) {
      const { credential, account } = await findRevocable(op, params.id)
      if (approval?.session?.credentialId === credential.id)
        throw new ApiError('WALLET_SIGNATURE_INVALID', { reason: 'A credential cannot revoke itself' })
      const change = { revoked_at: op.now, updated_at: op.now, current_challenge_id: null }
      return {
        status: 204,
        body: undefined,
        writes: [
          update('credentials', credential.id, { revoked_at: null }, change),
          ...(await endCredentialSessions(op, credential)),
          markCredentialsChanged(op, account),
        ],
      }
    },
  },
}

/**
 * Converts a proposed credential for the signed payload, including the contact for codes or the public key of
 * a passkey.
 */
function toProposedCredential(credential: CredentialRow) {
  const { type, nickname, webauthn_id, webauthn_public_key, oidc_issuer, oidc_audience, oidc_subject } =
    credential
  return present({
    type,
    nickname,
    credentialId: webauthn_id,
    publicKey: webauthn_public_key && Buffer.from(webauthn_public_key).toString('base64url'),
    identity:
      oidc_issuer === null || oidc_audience === null || oidc_subject === null
        ? undefined
        : { issuer: oidc_issuer, audience: oidc_audience, subject: oidc_subject },
  })
}

/** Finds a customer's wallet. Throws like `findEmbeddedWallet`, or 410 `CUSTOMER_DELETED`. */
async function findSignInWallet(op: Op, accountId: string): Promise<InternalAccountRow> {
  const account = await findEmbeddedWallet(op, accountId, 'accountId')
  await findCustomer(op, requireColumn(account, 'customer_id'), 'accountId')
  return account
}

async function findRevocable(op: Op, id: string) {
  const credential = await findCredential(op, id)
  // Read the account first: its version guards the reads below.
  const account = await findInternalAccount(op, credential.account_id)
  const others = (await findCredentials(op, account.id)).filter((other) => other.id !== id)
  if (others.length === 0)
    throw new ApiError('INVALID_INPUT', {
      message: 'The last credential of a wallet cannot be revoked. Register another one first.',
      details: { field: 'id' },
    })
  return { credential, account }
}
