import {
  activateAccount,
  makeInternalAccount,
  makeWallet,
  type WalletChain,
} from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { CredentialRow, CustomerRow, InternalAccountRow } from '../../storage/rows/tables.ts'
import { makeOtpCredential } from '../credentials/credentials.ts'
import { listAccountCurrencies, type PlatformConfig } from '../platforms/platform-config.ts'

/**
 * Opens an account per platform currency for a customer whose verification is pending. The accounts accept no
 * money yet.
 */
export function openPendingAccounts(op: Op, config: PlatformConfig, { id }: CustomerRow): Write[] {
  return listAccountCurrencies(config).flatMap((currency) => makeInternalAccount(op, id, currency, true))
}

/**
 * Opens the accounts of an approved customer: one per platform currency and, if the customer has an e-mail
 * address, a wallet on `chain`, or on Spark without one. `pending` are accounts opened before the approval.
 */
export function openCustomerAccounts(
  op: Op,
  config: PlatformConfig,
  chain: WalletChain | undefined,
  customer: CustomerRow,
  pending: readonly InternalAccountRow[] = [],
): Write[] {
  const pendingCurrencies = new Set<string>(pending.map(({ currency }) => currency))
  const missing = listAccountCurrencies(config).filter((currency) => !pendingCurrencies.has(currency))
  return [
    ...pending.flatMap((account) => activateAccount(op, account)),
    ...missing.flatMap((currency) => makeInternalAccount(op, customer.id, currency)),
    ...(customer.email === null ? [] : openWallet(op, chain, customer.id, customer.email)),
  ]
}

/** Creates a wallet with its first credential (specification 5.3). */
export function openWallet(
  op: Op,
  chain: WalletChain | undefined,
  customerId: string,
  email: string,
): Write[] {
  const { accountId, writes } = makeWallet(op, customerId, chain)
  return [...writes, insert('credentials', makeOtpCredential(op, accountId, 'EMAIL_OTP', email))]
}

/** Moves a credential to another address. A code already sent to the old address becomes invalid. */
export function moveCredential(op: Op, credential: CredentialRow, email: string): Write {
  return update(
    'credentials',
    credential.id,
    { version: credential.version, revoked_at: null },
    {
      nickname: email,
      contact: email,
      current_challenge_id: null,
      version: credential.version + 1,
      updated_at: op.now,
    },
  )
}
