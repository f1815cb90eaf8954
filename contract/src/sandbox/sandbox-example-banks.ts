import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { Text } from '../core/schema.ts'

export const SandboxExampleBankRequest = Type.Object({
  currency: CurrencyCode,
})

/** A simulated bank with one day to reconcile. */
export const SandboxExampleBank = Type.Object({
  rail: Text(40, { description: 'The name of the new bank' }),
  currency: CurrencyCode,
  reconciliationId: Id('RailStatement', 'The reconciliation of the statement that the bank has sent'),
})

/** Creates a bank whose statement differs from the ledger, to try out reconciliation. */
export const sandbox_example_bank = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/example-banks',
  tag: 'Sandbox',
  summary: 'Create an example bank',
  description:
    "Creates a bank that pays into the platform's own account and sends today's statement. Statement and " +
    'ledger differ as they do in practice: two deposits are booked as one sum, one is reduced by a ' +
    'charge, one is booked in parts, one is booked without its name, and the bank has taken an ' +
    'unexpected charge. Match and book them with the calls for reconciliations. Each call creates ' +
    'another bank.',
  sandboxOnly: true,
  idempotent: true,
  body: SandboxExampleBankRequest,
  responses: { 201: SandboxExampleBank },
  errors: ['INVALID_CURRENCY', 'ACCOUNT_NOT_FOUND', 'AMOUNT_OUT_OF_RANGE'],
})

export const sandboxExampleBanks = { sandbox_example_bank }
