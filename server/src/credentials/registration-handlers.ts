import type { credential_create, credential_delete } from '@countersign/contract/credential-registration'
import { findInternalAccount } from '../accounts/accounts.ts'
import { type Op, plusSeconds } from '../app.ts'
import type { CredentialRow, InternalAccountRow } from '../db/tables.ts'
import { insert, update } from '../db/writes.ts'
import { ApiError, fieldError, type SignedHandler } from '../operation.ts'
import { endSessionsOf } from '../sessions/sessions.ts'
import { SIGNING_SECONDS } from '../signing/signing.ts'
import { credentialsChanged, credentialView, findCredential } from './credentials.ts'
import { KINDS } from './kinds.ts'
import { selectCredentials } from './store.ts'

/** The first credential of a wallet at once, a further one signed by a session of those it has (specification 4.1). */
export const credentialCreate: SignedHandler<typeof credential_create> = {
  async authorize(op, { body }) {
    const account = await findWallet(op, body.accountId)
    if ((await selectCredentials(op, account.id)).length === 0) return null
    // Refused now rather than after the customer has signed.
    const { credential } = await KINDS[body.type].register(op, account, body)
    return {
      accountId: account.id,
      statement: {
        summary: `Add a way to sign in to this wallet: ${WORDS[body.type]} ${credential.nickname}`,
        credential: { type: body.type, nickname: credential.nickname },
      },
      expiresAt: plusSeconds(op.now, SIGNING_SECONDS),
      challenge: { type: body.type },
    }
  },

  async handle(op, { body }) {
    const account = await findWallet(op, body.accountId)
    const { credential, writes, bundle } = await KINDS[body.type].register(op, account, body)
    return {
      status: 201,
      body: { ...credentialView(credential), ...(bundle ? { otpEncryptionTargetBundle: bundle } : {}) },
      writes: [insert('credentials', credential), ...writes, credentialsChanged(op, account)],
    }
  },
}

/** Signed by a session of another credential of the wallet; the last one stays (specification 4.3). */
export const credentialDelete: SignedHandler<typeof credential_delete> = {
  async authorize(op, { params }) {
    const { credential } = await findRevocable(op, params.id)
    return {
      accountId: credential.account_id,
      statement: {
        summary: `Take away a way to sign in to this wallet: ${WORDS[credential.type]} ${credential.nickname}`,
        credential: { id: credential.id, type: credential.type, nickname: credential.nickname },
      },
      expiresAt: plusSeconds(op.now, SIGNING_SECONDS),
      challenge: { type: credential.type },
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
        ...(await endSessionsOf(op, credential)),
        credentialsChanged(op, account),
      ],
    }
  },
}

const WORDS: Readonly<Record<CredentialRow['type'], string>> = {
  EMAIL_OTP: 'codes to the e-mail address',
  SMS_OTP: 'codes to the phone number',
  OAUTH: 'the identity',
  PASSKEY: 'the passkey',
}

/** Errors: 404 `ACCOUNT_NOT_FOUND`, 400 for an account that is not an embedded wallet. */
async function findWallet(op: Op, accountId: string): Promise<InternalAccountRow> {
  const account = await findInternalAccount(op, accountId)
  if (account.type !== 'EMBEDDED_WALLET')
    throw fieldError('INVALID_INPUT', 'accountId', 'Only an embedded wallet has credentials')
  return account
}

async function findRevocable(op: Op, id: string) {
  const credential = await findCredential(op, id)
  const others = (await selectCredentials(op, credential.account_id)).filter((other) => other.id !== id)
  if (others.length === 0)
    throw new ApiError('INVALID_INPUT', {
      message: 'The last credential of a wallet cannot be revoked.',
      details: { field: 'id' },
    })
  return { credential, account: await findInternalAccount(op, credential.account_id) }
}
