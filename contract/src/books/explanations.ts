import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Text, Timestamp } from '../core/schema.ts'
import { WALLET_SIGNATURE_HEADER } from '../core/wire-word.ts'
import { LedgerTransfer } from './ledger.ts'

/**
 * Kinds of records that can lead to a transfer, in order from the transfer back to the person who authorized
 * it.
 */
export const EXPLANATION_STEPS = [
  'ENTRY',
  'TRANSACTION',
  'DECISION',
  'QUOTE',
  'CARD_TRANSACTION',
  'POLICY_DECISION',
  'APPROVAL',
  'SIGNATURE',
  'CAUSE',
] as const

/** The signer and the signed bytes, which suffice to verify the signature without this server. */
export const ExplainedSignature = Type.Object({
  payload: Type.String({ description: 'The exact text that was signed' }),
  sessionId: Type.Optional(Id('Session', 'The session that signed')),
  credentialId: Type.Optional(Id('AuthMethod', 'The credential that issued the session')),
  publicKey: Type.Optional(Type.String({ description: 'The key that signed, in hex' })),
  stamp: Type.Optional(
    Type.String({ description: `The signature as it was sent (${WALLET_SIGNATURE_HEADER})` }),
  ),
  signature: Type.Optional(
    Type.String({ description: 'A signature by the key of a card, over the payload, in base64' }),
  ),
})

export const ExplanationStep = Type.Object({
  step: OneOfWords(EXPLANATION_STEPS),
  id: Text(96, { description: 'The id of the record' }),
  state: Type.Optional(Text(64)),
  at: Timestamp('The time of the step'),
  summary: Type.String({ description: 'The step as a sentence' }),
  signature: Type.Optional(ExplainedSignature),
})

export const ledger_transfer_explain = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/ledger/transfers/{ledgerTransferId}/explain',
  tag: 'Books',
  summary: 'Explain a ledger transfer',
  description:
    'Explains a booking step by step: the entry, its transaction, the decisions about it, the quote or ' +
    'card purchase, the policy decision about the agent, the approval by the platform, and the wallet ' +
    'signature. Steps that do not apply are omitted.',
  params: Type.Object({ ledgerTransferId: PathId }),
  responses: { 200: Type.Object({ transfer: LedgerTransfer, steps: Type.Array(ExplanationStep) }) },
  errors: ['LEDGER_TRANSFER_NOT_FOUND'],
})
