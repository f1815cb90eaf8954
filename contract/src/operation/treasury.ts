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

const VOTES = 'If the platform has set approvalsRequired, only members approve, and each counts once.'

export const TreasuryMovementRequest = Type.Object({
  ownAccountId: Id('OwnAccount', 'The cold storage. It must be ACTIVE'),
  amount: Int64({ exclusiveMinimum: 0, description: 'In the smallest unit of the currency of the account' }),
  reason: Prose(500, { description: 'The reason. It is stored with the record' }),
  needsApproval: Type.Optional(
    Type.Boolean({
      description: 'True: it waits for an approval even if the platform has not set approvalsRequired',
    }),
  ),
})

/** A movement between a chain's treasury and cold storage, or to a new address of the treasury. */
export const TreasuryMovement = Type.Object({
  id: Id('TreasuryMovement'),
  status: OneOfWords(
    TREASURY_MOVEMENT_STATES,
    'AWAITING_APPROVAL: members must approve it first. SENT: the treasury pays it. COMPLETED: confirmed on the chain and in the books. FAILED: nothing has moved, or the chain has taken it back',
  ),
  direction: OneOfWords(
    TREASURY_DIRECTIONS,
    'FROM_COLD_STORAGE: the operator has sent it with the key of the cold storage, and the server has seen it on the chain. KEY_ROTATION: from a retired address of the treasury to its present one',
  ),
  ownAccountId: Type.Optional(Id('OwnAccount', 'The cold storage')),
  rail: Text(40, { description: 'The chain, by its name in the rails file; `sandbox` without a chain' }),
  network: OneOfWords(EVM_NETWORKS),
  address: Text(42, { description: 'Of the cold storage; of a rotation, the new one of the treasury' }),
  amount: CurrencyAmount,
  reason: Type.Optional(Prose(500)),
  transactionHash: Type.Optional(Text(66, { description: 'Of the transfer on the chain' })),
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
    'Sends money of the treasury of a chain to a registered address of the operator (purpose COLD_STORAGE). Once it is confirmed, it moves in the books from the account of the rail ' +
    'to `<rail>:cold`: it still covers what customers are owed. Money that comes back needs no call. ' +
    'If the platform has set approvalsRequired, or needsApproval is true, it is AWAITING_APPROVAL until its members have approved it.',
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
  summary: 'List movements of treasuries',
  description: 'Shows the movements to cold storage and back, and the movements of rotations, newest first.',
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
  summary: 'Read a movement of a treasury',
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
  reason: Prose(500, { description: 'The reason. It is stored with the record' }),
  needsApproval: Type.Optional(
    Type.Boolean({
      description: 'True: it waits for an approval even if the platform has not set approvalsRequired',
    }),
  ),
})

/** A new treasury key for a chain, which replaces the current one. */
export const TreasuryKey = Type.Object({
  id: Id('TreasuryKey'),
  status: OneOfWords(
    TREASURY_KEY_STATES,
    'AWAITING_APPROVAL: members must approve it first. ACTIVE: the treasury is at its address. RETIRED: another key has taken its place; its address is still followed, and money there is sent on',
  ),
  rail: Text(40),
  network: Type.Optional(OneOfWords(EVM_NETWORKS, 'Left out in a sandbox without a chain')),
  address: Text(42, { description: 'Of the key. It never leaves the enclave' }),
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
  summary: 'Rotate the key of a treasury',
  description:
    'Makes a new key in the enclave. Once it is ACTIVE, new payments go from its address, what was signed before ends with the old one, and ' +
    'what the old address has is sent to the new one by movements of the direction KEY_ROTATION. The old address is followed for ever. ' +
    'If the platform has set approvalsRequired, or needsApproval is true, it is AWAITING_APPROVAL until its members have approved it.',
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
  summary: 'List keys of treasuries',
  description: 'Shows the keys that were made by rotations, newest first.',
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
  summary: 'Read a key of a treasury',
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
