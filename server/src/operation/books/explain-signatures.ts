import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import type { CardTransactionRow } from '../../storage/rows/card.ts'
import type { Step } from './steps.ts'
import { selectPublicKey, selectPullSignatures, selectSignedRequest } from './store.ts'

/**
 * The paying wallet's signature: the signed payload, the session that signed it, and the session's
 * credential.
 */
export async function explainWalletSignature(op: Op, requestId: string): Promise<Step[]> {
  const request = await selectSignedRequest(op, requestId)
  if (!request) return []
  const { payload, session_id, credential_id, stamp, consumed_at } = request
  const isSigned = consumed_at !== null
  return [
    {
      step: 'SIGNATURE',
      id: request.id,
      state: isSigned ? 'SIGNED' : 'UNSIGNED',
      at: (consumed_at ?? request.created_at).toISOString(),
      summary: isSigned ? describeSignature(session_id, credential_id) : 'The wallet has not signed yet.',
      signature: present({
        payload,
        sessionId: session_id,
        credentialId: credential_id,
        publicKey: request.public_key ?? request.signer_public_key,
        stamp,
      }),
    },
  ]
}

function describeSignature(sessionId: string | null, credentialId: string | null): string {
  // Requests signed before migration 0011 have no session.
  return sessionId === null
    ? 'The wallet signed the payment. The session was not recorded.'
    : `The wallet signed the payment with ${sessionId}, issued by ${credentialId}.`
}

/** The signatures of the card's delegated key, one per pull, if an embedded wallet pays for the purchase. */
export async function explainCardSignatures(op: Op, purchase: CardTransactionRow): Promise<Step[]> {
  const rows = await selectPullSignatures(op, purchase.id)
  return Promise.all(
    rows.map(async ({ delegated_key_id, number, statement, signature, created_at }): Promise<Step> => {
      const publicKey = await selectPublicKey(op, delegated_key_id)
      return {
        step: 'SIGNATURE',
        id: delegated_key_id,
        state: 'SIGNED',
        at: created_at.toISOString(),
        summary: `The card's delegated key signed pull ${number} of the purchase.`,
        signature: {
          payload: statement,
          ...present({ publicKey }),
          signature: Buffer.from(signature).toString('base64'),
        },
      }
    }),
  )
}
