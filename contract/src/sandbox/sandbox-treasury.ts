import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id } from '../core/ids.ts'
import { Int64 } from '../core/schema.ts'
import { TreasuryMovement } from '../operation/treasury.ts'

export const SandboxTreasuryReturnRequest = Type.Object({
  ownAccountId: Id('OwnAccount', 'The cold-storage account'),
  amount: Int64({ exclusiveMinimum: 0, description: "In the smallest unit of the account's currency" }),
})

/** Simulates a transfer by the operator from cold storage back to the treasury. */
export const sandbox_treasury_return = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/treasury-returns',
  tag: 'Sandbox',
  summary: 'Send money back from cold storage',
  description:
    'Simulates a transfer signed with the cold-storage key. Not available in a sandbox that uses a chain: send the money on the chain instead.',
  sandboxOnly: true,
  idempotent: true,
  body: SandboxTreasuryReturnRequest,
  responses: { 201: TreasuryMovement },
  errors: [
    'INVALID_INPUT',
    'OWN_ACCOUNT_NOT_FOUND',
    'INSUFFICIENT_BALANCE',
    'NOT_IMPLEMENTED',
    'UNAVAILABLE',
  ],
})

export const sandboxTreasury = { sandbox_treasury_return }
