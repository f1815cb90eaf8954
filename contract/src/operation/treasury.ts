import { Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { EVM_NETWORKS } from '../core/evm.ts'
import { Id, PathId } from '../core/ids.ts'
import { Int64, OneOfWords, Page, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { TransferRefusal } from '../payments/transfers.ts'
import { TREASURY_KEY_STATES, TREASURY_MOVEMENT_STATES } from '../states/own-money-states.ts'

const TAG = 'Treasury'

export const TREASURY_DIRECTIONS = ['TO_COLD_STORAGE', 'FROM_COLD_STORAGE', 'KEY_ROTATION'] as const
export type TreasuryDirection = (typeof TREASURY_DIRECTIONS)[number]

const VOTES = 'If the platform has set approvalsRequired, only members can approve, and each counts once.'

export const TreasuryMovementRequest = Type.Object({
  ownAccountId: Id('OwnAccount', 'The cold-storage account. It must be ACTIVE'),
  amount: Int64({ exclusiveMinimum: 0, description: "In the smallest unit of the account's currency" }),
  reason: Prose(500, { description: 'Stored with the record' }),
  needsApproval: Type.Optional(
    Type.Boolean({
      description: 'True: requires an approval even if the platform has not set approvalsRequired',
    }),
  ),
})

/** A movement between a chain's treasury and cold storage, or to a new address of the treasury. */
export const TreasuryMovement = Type.Object({
  id: Id('TreasuryMovement'),
  status: OneOfWords(
    TREASURY_MOVEMENT_STATES,
    'AWAITING_APPROVAL: members must approve it first. SENT: the treasury is paying it. COMPLETED: ' +
      'confirmed on the chain and booked. FAILED: nothing has moved, or the chain reverted it',
  ),
  direction: OneOfWords(
    TREASURY_DIRECTIONS,
    'FROM_COLD_STORAGE: the operator sent it with the cold-storage key, and the server has seen it on ' +
      'the chain. KEY_ROTATION: from a retired treasury address to the current one',
  ),
  ownAccountId: Type.Optional(Id('OwnAccount', 'The cold-storage account')),
  rail: Text(40, { description: 'The chain, by its name in the rails file; `sandbox` without a chain' }),
  network: OneOfWords(EVM_NETWORKS),
  address: Text(42, { description: "The cold-storage address; for a rotation, the treasury's new address" }),
  amount: CurrencyAmount,
  reason: Type.Optional(Prose(500)),
  transactionHash: Type.Optional(Text(66, { description: 'The hash of the transfer on the chain' })),
  error: Type.Optional(TransferRefusal),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

const path = Type.Object({ treasuryMovementId: PathId })

const MOVE_ERRORS = [
  'INVALID_INPUT',
  'OWN_ACCOUNT_NOT_FOUND',
  'INSUFFICIENT_BALANCE',
  'NOT_IMPLEMENTED',
  'UNAVAILABLE',
] as const

/** Sends money from the treasury to cold storage. */
export const treasury_movement_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/platform/treasury-movements',
  tag: TAG,
  summary: 'Send money to cold storage',
  description:
    "Sends money from a chain's treasury to a registered address of the operator (purpose COLD_STORAGE). " +
    "Once confirmed, it moves in the ledger from the rail's account to `<rail>:cold`, and still covers " +
    'the amount owed to customers. Money that returns needs no call. If the platform has set ' +
    'approvalsRequired, or needsApproval is true, the movement is AWAITING_APPROVAL until members have ' +
    'approved it.',
  idempotent: true,
  body: TreasuryMovementRequest,
  responses: { 201: TreasuryMovement },
  errors: MOVE_ERRORS,
})

export const treasury_movement_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/treasury-movements',
  tag: TAG,
  summary: 'List treasury movements',
  description: 'Lists the movements to and from cold storage and the movements of rotations, newest first.',
  query: Type.Object({
    status: Type.Optional(OneOfWords(TREASURY_MOVEMENT_STATES)),
    direction: Type.Optional(OneOfWords(TREASURY_DIRECTIONS)),
    ...pageQuery,
  }),
  responses: { 200: Page(TreasuryMovement) },
  errors: ['INVALID_INPUT'],
})

export const treasury_movement_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/treasury-movements/{treasuryMovementId}',
  tag: TAG,
  summary: 'Read a treasury movement',
  description: 'Shows a movement with its reason and its transfer on the chain.',
  params: path,
  responses: { 200: TreasuryMovement },
  errors: ['TREASURY_MOVEMENT_NOT_FOUND'],
})

export const treasury_movement_approve = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/platform/treasury-movements/{treasuryMovementId}/approve',
  tag: TAG,
  summary: 'Approve a movement to cold storage',
  description: `Approves a movement that is AWAITING_APPROVAL. The last approval that the platform requires sends it. ${VOTES}`,
  idempotent: true,
  params: path,
  responses: { 200: TreasuryMovement },
  errors: ['FORBIDDEN', 'TREASURY_MOVEMENT_NOT_FOUND', 'INVALID_STATE_TRANSITION', ...MOVE_ERRORS],
})

export const treasury_movement_cancel = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/platform/treasury-movements/{treasuryMovementId}/cancel',
  tag: TAG,
  summary: 'Cancel a movement to cold storage',
  description: 'Ends a movement that is AWAITING_APPROVAL. Nothing is sent.',
  idempotent: true,
  params: path,
  responses: { 200: TreasuryMovement },
  errors: ['TREASURY_MOVEMENT_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const TreasuryKeyRequest = Type.Object({
  rail: Text(40, { description: 'The chain, by its name in the rails file; `sandbox` without a chain' }),
  reason: Prose(500, { description: 'Stored with the record' }),
  needsApproval: Type.Optional(
    Type.Boolean({
      description: 'True: requires an approval even if the platform has not set approvalsRequired',
    }),
  ),
})

/** A new treasury key for a chain, which replaces the current one. */
export const TreasuryKey = Type.Object({
  id: Id('TreasuryKey'),
  status: OneOfWords(
    TREASURY_KEY_STATES,
    'AWAITING_APPROVAL: members must approve it first. ACTIVE: the treasury uses its address. RETIRED: ' +
      'another key has replaced it; its address is still followed, and money that arrives there is ' +
      'forwarded',
  ),
  rail: Text(40),
  network: Type.Optional(OneOfWords(EVM_NETWORKS, 'Absent in a sandbox without a chain')),
  address: Text(42, { description: 'The address of the key. The key never leaves the enclave' }),
  reason: Prose(500),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

const keyPath = Type.Object({ treasuryKeyId: PathId })

/** Rotates a treasury key. */
export const treasury_key_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/platform/treasury-keys',
  tag: TAG,
  summary: 'Rotate a treasury key',
  description:
    'Creates a new key in the enclave. Once it is ACTIVE, new payments are sent from its address, ' +
    'payments that are already signed finish with the old key, and the balance of the old address is ' +
    'sent to the new one by movements with the direction KEY_ROTATION. The old address is followed ' +
    'permanently. If the platform has set approvalsRequired, or needsApproval is true, the key is ' +
    'AWAITING_APPROVAL until members have approved it.',
  idempotent: true,
  body: TreasuryKeyRequest,
  responses: { 201: TreasuryKey },
  errors: ['INVALID_INPUT', 'TREASURY_KEY_ALREADY_EXISTS', 'UNAVAILABLE'],
})

export const treasury_key_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/treasury-keys',
  tag: TAG,
  summary: 'List treasury keys',
  description: 'Lists the keys that were created by rotations, newest first.',
  query: Type.Object({ status: Type.Optional(OneOfWords(TREASURY_KEY_STATES)), ...pageQuery }),
  responses: { 200: Page(TreasuryKey) },
  errors: ['INVALID_INPUT'],
})

export const treasury_key_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/treasury-keys/{treasuryKeyId}',
  tag: TAG,
  summary: 'Read a treasury key',
  description: 'Shows a key with its address and its state.',
  params: keyPath,
  responses: { 200: TreasuryKey },
  errors: ['TREASURY_KEY_NOT_FOUND'],
})

export const treasury_key_approve = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/platform/treasury-keys/{treasuryKeyId}/approve',
  tag: TAG,
  summary: 'Approve a new key',
  description: `Approves a key that is AWAITING_APPROVAL. The last approval that the platform requires makes it ACTIVE. ${VOTES}`,
  idempotent: true,
  params: keyPath,
  responses: { 200: TreasuryKey },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'TREASURY_KEY_NOT_FOUND', 'INVALID_STATE_TRANSITION', 'UNAVAILABLE'],
})

export const treasury_key_cancel = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/platform/treasury-keys/{treasuryKeyId}/cancel',
  tag: TAG,
  summary: 'Cancel a new key',
  description: 'Ends a rotation that is AWAITING_APPROVAL. The treasury keeps its key.',
  idempotent: true,
  params: keyPath,
  responses: { 200: TreasuryKey },
  errors: ['TREASURY_KEY_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const treasury = {
  treasury_key_create,
  treasury_key_list,
  treasury_key_get,
  treasury_key_approve,
  treasury_key_cancel,
  treasury_movement_create,
  treasury_movement_list,
  treasury_movement_get,
  treasury_movement_approve,
  treasury_movement_cancel,
}
