import type { wallets } from '@countersign/contract/accounts/internal-accounts'
import { toJson } from '../../base/json/json.ts'
import { update } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import { addSeconds } from '../operation/app.ts'
import { createFieldError, type Handlers } from '../operation/operation.ts'
import { accountEvent } from '../outbox/events.ts'
import { checkClientPublicKey } from '../signing/client-key.ts'
import { SIGNING_SECONDS } from '../signing/signing.ts'
import { findEmbeddedWallet, toCurrentAccountView } from './accounts.ts'

export const walletHandlers: Handlers<typeof wallets> = {
  /** Only the holder of a wallet decides whether its balance is hidden (specification 4.7). */
  internal_account_update: {
    async toSign(op, { params, body }) {
      const wallet = await findEmbeddedWallet(op, params.id, 'id')
      if (body.privateEnabled === undefined)
        throw createFieldError('INVALID_INPUT', 'privateEnabled', 'privateEnabled is required')
      return {
        accountId: wallet.id,
        statement: {
          operation: 'internal_account_update',
          summary: body.privateEnabled
            ? 'Hide the balance of this wallet'
            : 'Show the balance of this wallet',
          privateEnabled: body.privateEnabled,
        },
        expiresAt: addSeconds(op.now, SIGNING_SECONDS),
      }
    },

    async handle(op, { params, body }) {
      const wallet = await findEmbeddedWallet(op, params.id, 'id')
      const { privateEnabled = wallet.private_enabled } = body
      const change = { private_enabled: privateEnabled, updated_at: op.now }
      const view = await toCurrentAccountView(op, { ...wallet, ...change })
      return {
        status: 200,
        body: view,
        writes: [
          update('internal_accounts', wallet.id, { private_enabled: wallet.private_enabled }, change),
          accountEvent(op, 'INTERNAL_ACCOUNT.STATUS_UPDATED', wallet.id, toJson(view)),
        ],
      }
    },
  },

  /** Exports the mnemonic, sealed to a key of the holder's device. */
  internal_account_export: {
    async toSign(op, { params, body }) {
      checkClientPublicKey(body.clientPublicKey)
      const wallet = await findEmbeddedWallet(op, params.id, 'id')
      return {
        accountId: wallet.id,
        statement: {
          operation: 'internal_account_export',
          summary: 'Export the recovery phrase of this wallet. Anyone who has the phrase can spend the money',
          clientPublicKey: body.clientPublicKey,
        },
        expiresAt: addSeconds(op.now, SIGNING_SECONDS),
      }
    },

    async handle(op, { params, body }) {
      const wallet = await findEmbeddedWallet(op, params.id, 'id')
      const sealed = op.enclave.exportWallet(
        wallet.id,
        requireColumn(wallet, 'sealed_seed'),
        body.clientPublicKey,
      )
      return { status: 200, body: { id: wallet.id, encryptedWalletCredentials: sealed } }
    },
  },
}
