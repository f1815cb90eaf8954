import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id } from '../core/ids.ts'
import { Int64, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'

/** A statement signed by the server about all finished transfers of a platform. */
export const LedgerCheckpoint = Type.Object({
  id: Id('LedgerCheckpoint'),
  blockNumber: Int64({
    minimum: 1,
    description: 'The number of the last block that it covers',
  }),
  transferCount: Int64({ minimum: 1, description: 'The number of transfers in the chain up to that block' }),
  hash: Text(64, { description: 'The SHA-256 of that block in hex, which depends on all blocks before it' }),
  payload: Text(1024, { description: 'The exact text that is signed' }),
  signature: Text(512, {
    description:
      'The signature of the payload by `enclaveQuorumPublic` of `/.well-known/countersign.json`: ECDSA, P-256, SHA-256, DER, in base64',
  }),
  createdAt: Timestamp(),
})

export const ledger_checkpoint_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/ledger/checkpoints',
  tag: 'Books',
  summary: 'List ledger checkpoints',
  description:
    'Lists the signed checkpoints of the hash chain over your transfers, newest first. Store them ' +
    'elsewhere: each one reveals any later change to the transfers that it covers, no matter who made it.',
  query: Type.Object({ ...pageQuery }),
  responses: { 200: Page(LedgerCheckpoint) },
  errors: ['INVALID_INPUT'],
})

export const ledgerCheckpoints = { ledger_checkpoint_list }
