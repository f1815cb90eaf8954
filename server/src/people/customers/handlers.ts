import type { customer_update, customers } from '@countersign/contract/customers/customers'
import { quoteName } from '../../base/formats/quoted.ts'
import { toCanonicalJson } from '../../base/json/json.ts'
import { findWallet } from '../../kernel/accounts/accounts.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers, type Input } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { parseTimeRange } from '../../kernel/operation/time-range.ts'
import { update } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { CredentialRow, CustomerRow } from '../../storage/rows/tables.ts'
import { toSignedCredential } from '../credentials/describe.ts'
import { getPlatformConfig } from '../platforms/platform-config.ts'
import { requireWalletChain } from '../platforms/wallet-network.ts'
import { isSameEmail } from './contacts.ts'
import {
  buildCreationWrites,
  checkIsFree,
  findHolders,
  guardPlatformUnchanged,
  newCustomer,
  readPlatformSnapshot,
} from './creation.ts'
import { changeCustomer, checkCurrencies, checkDates, findCustomer, toCustomerView } from './customers.ts'
import { selectCustomers, selectEmailCredentials, selectIsEmailTaken } from './store.ts'
import { scheduleVerificationCheck } from './verification.ts'
import { moveCredential, openWallet } from './wallets.ts'

const EMAIL_CHANGE_SECONDS = 5 * 60

export const customerHandlers: Handlers<typeof customers> = {
  customer_create: async (op, { body }) => {
    const snapshot = await readPlatformSnapshot(op)
    const customer = newCustomer(op, snapshot, body)
    checkIsFree(customer, await findHolders(op, [customer]))
    return {
      status: 201,
      body: toCustomerView(customer),
      writes: [guardPlatformUnchanged(snapshot), ...buildCreationWrites(op, snapshot, customer)],
    }
  },

  customer_list: async (op, { query }) => {
    const filters = { ...query, times: parseTimeRange(query) }
    return {
      status: 200,
      body: await listPage(op, query, {
        rows: selectCustomers(op, filters),
        table: 'customers',
        view: (rows) => rows.map(toCustomerView),
      }),
    }
  },

  customer_get: async (op, { params }) => ({
    status: 200,
    body: toCustomerView(await findCustomer(op, params.customerId)),
  }),

  /** Requires a signature if a wallet's sign-in codes would be sent to a new address (specification 4.7). */
  customer_update: {
    async toSign(op, input) {
      const { before, after, credentials } = await planUpdate(op, input)
      const [credential] = credentials
      if (!credential) return null
      return {
        accountId: credential.account_id,
        statement: {
          operation: 'customer_update',
          summary: `Send the sign-in codes of this wallet to ${quoteName(requireColumn(after, 'email'))} instead of ${quoteName(requireColumn(before, 'email'))}`,
          customer: before.id,
          oldEmail: requireColumn(before, 'email'),
          newEmail: requireColumn(after, 'email'),
          credentials: credentials.map(toSignedCredential),
        },
        context: toEmailContext(before, credentials),
        expiresAt: addSeconds(op.now, EMAIL_CHANGE_SECONDS),
      }
    },

    async handle(op, input) {
      const { before, after, credentials } = await planUpdate(op, input)
      const { approval } = input
      const approved = approval ? toCanonicalJson(approval.context) : undefined
      const needed = credentials.length > 0 ? toCanonicalJson(toEmailContext(before, credentials)) : undefined
      if (approved !== needed)
        throw new ApiError('EMAIL_OTP_CREDENTIAL_SET_CHANGED', { details: { field: 'email' } })
      if (!approval && isUnchanged(before, after)) return { status: 200, body: toCustomerView(before) }
      const isFirstEmail = before.email === null && after.email !== null
      const needsWallet =
        isFirstEmail && after.verification_status === 'APPROVED' && !(await findWallet(op, before.id))
      const { currencies, email, uma_address, details, updated_at, version } = after
      const { email_verification, phone_verification } = after
      return {
        status: 200,
        body: toCustomerView(after),
        writes: [
          update(
            'customers',
            before.id,
            { version: before.version, deleted_at: null },
            {
              ...{ currencies, email, uma_address, details, updated_at, version },
              ...{ email_verification, phone_verification },
            },
          ),
          ...scheduleVerificationCheck(op, after),
          ...credentials.map((credential) => moveCredential(op, credential, requireColumn(after, 'email'))),
          ...(needsWallet
            ? openWallet(
                op,
                await requireWalletChain(op, getPlatformConfig(op)),
                before.id,
                requireColumn(after, 'email'),
              )
            : []),
        ],
      }
    },
  },
}

/** A checked change of a customer, and the credentials that must move to its new e-mail address. */
async function planUpdate(
  op: Op,
  { params, body }: Input<typeof customer_update>,
): Promise<{ before: CustomerRow; after: CustomerRow; credentials: CredentialRow[] }> {
  const before = await findCustomer(op, params.customerId)
  const after = changeCustomer(op, before, body)
  checkDates(op, body)
  checkCurrencies(getPlatformConfig(op), body.currencies)
  if (after.uma_address !== before.uma_address) checkIsFree(after, await findHolders(op, [after]))
  const credentials = await findMovingCredentials(op, before, after)
  if (credentials.length > 0 && (await selectIsEmailTaken(op, before.id, requireColumn(after, 'email'))))
    throw new ApiError('EMAIL_OTP_EMAIL_ALREADY_EXISTS', { details: { field: 'email' } })
  return { before, after, credentials }
}

async function findMovingCredentials(
  op: Op,
  before: CustomerRow,
  after: CustomerRow,
): Promise<CredentialRow[]> {
  if (before.email === null || after.email === null || isSameEmail(before.email, after.email)) return []
  return selectEmailCredentials(op, before.id, before.email)
}

/** The state that the signature covers. A retry with a different state is rejected. */
function toEmailContext(customer: CustomerRow, credentials: readonly CredentialRow[]) {
  return { email: customer.email, credentialIds: credentials.map(({ id }) => id) }
}

function isUnchanged(before: CustomerRow, after: CustomerRow): boolean {
  const { updated_at, version } = before
  return toCanonicalJson({ ...after, updated_at, version }) === toCanonicalJson(before)
}
