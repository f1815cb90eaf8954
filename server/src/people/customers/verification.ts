import { KYC_TRANSITIONS, type KycEvent } from '@countersign/contract/states/customer-states'
import { listCustomerAccounts } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { getPlatformConfig, readPlatformConfig } from '../platforms/platform-config.ts'
import { findPlatform } from '../platforms/platforms.ts'
import { requireWalletChain } from '../platforms/wallet-network.ts'
import { buildStatusEvent } from './customers.ts'
import { selectCustomer } from './store.ts'
import { openCustomerAccounts } from './wallets.ts'

/**
 * True if the sandbox decides the verification of customers and owners by suffix. Never true in production.
 */
export function decidesAutomatically(op: Op): boolean {
  return getPlatformConfig(op).sandboxConfig?.verification === 'AUTOMATIC'
}

/** Schedules another check of a customer whose data has changed while its verification is open. */
export function scheduleVerificationCheck(
  op: Op,
  customer: Pick<CustomerRow, 'id' | 'verification_status'>,
): Write[] {
  const isOpen = nextState(KYC_TRANSITIONS, customer.verification_status, 'approve') !== null
  return isOpen ? [job(op, 'verification.check', { customerId: customer.id }, op.now)] : []
}

/** Like `scheduleVerificationCheck`, for a customer id; no writes if the customer does not exist. */
export async function scheduleVerificationCheckById(op: Op, customerId: string): Promise<Write[]> {
  const customer = await selectCustomer(op, customerId)
  return customer && !customer.deleted_at ? scheduleVerificationCheck(op, customer) : []
}

/**
 * Moves a customer's verification to its next state, and opens the accounts of an approved customer. A job
 * continues the cards that were waiting for it. Guard: the customer is unchanged.
 */
export async function moveCustomer(op: Op, customer: CustomerRow, by: KycEvent): Promise<Write[]> {
  const { version } = customer
  const change = { version: version + 1 }
  const guard = { version, deleted_at: null }
  const { row, write } = transition(op, 'customers', KYC_TRANSITIONS, customer, by, change, guard)
  const statusEvent = buildStatusEvent(op, row)
  return [
    write,
    ...(by === 'approve' ? await openAccounts(op, row) : []),
    ...(by !== 'reopen' && op.cardProcessor
      ? [job(op, 'cards.continue', { customerId: row.id }, op.now)]
      : []),
    ...(statusEvent ? [statusEvent] : []),
  ]
}

/** Guard: the platform's currencies are unchanged, so that no account is missed. */
async function openAccounts(op: Op, customer: CustomerRow): Promise<Write[]> {
  const platform = await findPlatform(op)
  const config = readPlatformConfig(op, platform)
  return [
    expectRow('platforms', platform.id, { version: platform.version }),
    ...openCustomerAccounts(
      op,
      config,
      await requireWalletChain(op, config),
      customer,
      await listCustomerAccounts(op, customer.id),
    ),
  ]
}
