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
import { accountCurrencies, type PlatformConfig } from '../platforms/platform-config.ts'

/** The accounts of a customer whose check is pending: one per platform currency. They accept no money yet. */
export function openPendingAccounts(op: Op, config: PlatformConfig, { id }: CustomerRow): Write[] {
  return accountCurrencies(config).flatMap((currency) => makeInternalAccount(op, id, currency, true))
}

/**
 * The accounts of an approved customer: one per currency of the platform and, with an e-mail, a wallet, which
 * is `on` a chain or else on Spark. `pending` are those opened before its approval.
 */
export function openCustomerAccounts(
  op: Op,
  config: PlatformConfig,
  on: WalletChain | undefined,
  customer: CustomerRow,
  pending: readonly InternalAccountRow[] = [],
): Write[] {
  const held = new Set<string>(pending.map(({ currency }) => currency))
  const missing = accountCurrencies(config).filter((currency) => !held.has(currency))
  return [
    ...pending.flatMap((account) => activateAccount(op, account)),
    ...missing.flatMap((currency) => makeInternalAccount(op, customer.id, currency)),
    ...(customer.email === null ? [] : openWallet(op, on, customer.id, customer.email)),
  ]
}

/** A wallet and its first credential (specification 5.3). */
export function openWallet(op: Op, on: WalletChain | undefined, customerId: string, email: string): Write[] {
  const { accountId, writes } = makeWallet(op, customerId, on)
  return [...writes, insert('credentials', makeOtpCredential(op, accountId, 'EMAIL_OTP', email))]
}

/** Moves a credential to another address. A code sent to the previous address is no longer valid. */
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
