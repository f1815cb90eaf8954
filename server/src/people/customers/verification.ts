import { KYC_TRANSITIONS, type KycEvent } from '@countersign/contract/states/customer-states'
import { findAccountsOf } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { platformConfig, readPlatformConfig } from '../platforms/platform-config.ts'
import { findPlatform } from '../platforms/platforms.ts'
import { walletChain } from '../platforms/wallet-network.ts'
import { verificationEvent } from './customers.ts'
import { selectCustomer } from './store.ts'
import { openCustomerAccounts } from './wallets.ts'

/** True if the sandbox decides about customers and owners automatically, by suffix, unlike production. */
export function decidesAutomatically(op: Op): boolean {
  return platformConfig(op).sandboxConfig?.verification === 'AUTOMATIC'
}

/** The job that rechecks a customer's open verification after a change of its data. */
export function verificationCheck(
  op: Op,
  customer: Pick<CustomerRow, 'id' | 'verification_status'>,
): Write[] {
  const isOpen = nextState(KYC_TRANSITIONS, customer.verification_status, 'approve') !== null
  return isOpen ? [job(op, 'verification.check', { customerId: customer.id }, op.now)] : []
}

/** A customer's check, by id; empty if the customer was deleted. */
export async function verificationCheckOf(op: Op, customerId: string): Promise<Write[]> {
  const customer = await selectCustomer(op, customerId)
  return customer && !customer.deleted_at ? verificationCheck(op, customer) : []
}

/**
 * Advances a customer's check, and opens an approved customer's accounts. Waiting cards move on in the
 * background. Guard: the customer was not changed in the meantime.
 */
export async function moveCustomer(op: Op, customer: CustomerRow, by: KycEvent): Promise<Write[]> {
  const { version } = customer
  const change = { version: version + 1 }
  const guard = { version, deleted_at: null }
  const { row, write } = transition(op, 'customers', KYC_TRANSITIONS, customer, by, change, guard)
  const announced = verificationEvent(op, row)
  return [
    write,
    ...(by === 'approve' ? await openAccounts(op, row) : []),
    ...(by !== 'reopen' && op.cardProcessor
      ? [job(op, 'cards.continue', { customerId: row.id }, op.now)]
      : []),
    ...(announced ? [announced] : []),
  ]
}

/** Guard: the platform's currencies are unchanged since they were read, so that none is missed. */
async function openAccounts(op: Op, customer: CustomerRow): Promise<Write[]> {
  const platform = await findPlatform(op)
  const config = readPlatformConfig(op, platform)
  return [
    expectRow('platforms', platform.id, { version: platform.version }),
    ...openCustomerAccounts(
      op,
      config,
      await walletChain(op, config),
      customer,
      await findAccountsOf(op, customer.id),
    ),
  ]
}
