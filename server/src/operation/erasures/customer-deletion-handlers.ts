import type { customerDeletion } from '@countersign/contract/customers/customers'
import { findWallet } from '../../kernel/accounts/accounts.ts'
import { closeAccounts } from '../../kernel/ledger/accounts.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { closeCustomerCards } from '../../money/cards/close-cards.ts'
import { cancelCustomerMandates } from '../../money/external-accounts/mandates.ts'
import { endCustomerSchedules } from '../../money/payouts/change-schedule.ts'
import { markCredentialsChanged } from '../../people/credentials/credentials.ts'
import { findCustomer, toCustomerView } from '../../people/customers/customers.ts'
import { scheduleDocumentRemoval } from '../../people/documents/documents.ts'
import { update } from '../../storage/commit/writes.ts'
import { checkNothingIsOpen } from './customer-deletion.ts'
import { selectActiveSessionIds, selectLiveCredentialIds } from './customer-deletion-store.ts'

export const customerDeletionHandlers: Handlers<typeof customerDeletion> = {
  /**
   * A soft deletion: the customer and the accounts remain as closed records. The wallet must be empty,
   * because nobody can sign in to it afterwards. Throws 409 `CUSTOMER_NOT_EMPTY`, listing balances and open
   * payments.
   */
  customer_delete: async (op, { params }) => {
    const customer = await findCustomer(op, params.customerId)
    await checkNothingIsOpen(op, customer)
    const change = { deleted_at: op.now, updated_at: op.now, version: customer.version + 1 }
    const wallet = await findWallet(op, customer.id)
    const sessionIds = await selectActiveSessionIds(op, customer.id)
    const credentialIds = await selectLiveCredentialIds(op, customer.id)
    return {
      status: 200,
      body: toCustomerView({ ...customer, ...change }),
      writes: [
        update('customers', customer.id, { version: customer.version, deleted_at: null }, change),
        ...sessionIds.map((id) =>
          update('sessions', id, { revoked_at: null }, { revoked_at: op.now, updated_at: op.now }),
        ),
        ...credentialIds.map((id) =>
          update('credentials', id, { revoked_at: null }, { revoked_at: op.now, updated_at: op.now }),
        ),
        ...(wallet ? [markCredentialsChanged(op, wallet)] : []),
        ...(await closeCustomerCards(op, customer.id)),
        ...(await endCustomerSchedules(op, customer.id)),
        ...(await cancelCustomerMandates(op, customer.id)),
        closeAccounts(customer.id),
        scheduleDocumentRemoval(op, customer.id),
      ],
    }
  },
}
