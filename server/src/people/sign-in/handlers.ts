import type { credentials } from '@countersign/contract/auth/credentials'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { findCredential, findCredentials, toCredentialView } from '../credentials/credentials.ts'
import { CREDENTIAL_KINDS, checkKind } from './credential-kinds.ts'

export const credentialHandlers: Handlers<typeof credentials> = {
  credential_list: async (op, { query }) => {
    const account = await findInternalAccount(op, query.accountId)
    const credentials = await findCredentials(op, account.id)
    return { status: 200, body: { data: credentials.map(toCredentialView) } }
  },

  credential_challenge: async (op, { params, body }) => {
    const credential = await findCredential(op, params.id)
    return CREDENTIAL_KINDS[credential.type].challenge(op, credential, body?.clientPublicKey)
  },

  /** Verifies a credential according to its kind, and creates a session (specification 4.5). */
  credential_verify: {
    async toSign(op, { params, body }) {
      const credential = await findCredential(op, params.id)
      checkKind(credential, body.type)
      return CREDENTIAL_KINDS[body.type].toSign(op, credential, body)
    },

    async prove(op, { params, body }) {
      const credential = await findCredential(op, params.id)
      checkKind(credential, body.type)
      const { prove } = CREDENTIAL_KINDS[body.type]
      return prove && ((request) => prove(op, credential, body, request))
    },

    async handle(op, { params, body, approval }) {
      const credential = await findCredential(op, params.id)
      checkKind(credential, body.type)
      return CREDENTIAL_KINDS[body.type].signIn(op, credential, body, approval)
    },
  },
}
