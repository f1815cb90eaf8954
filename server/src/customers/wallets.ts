import { makeInternalAccount, makeWallet } from '../accounts/accounts.ts'
import type { Op } from '../app.ts'
import { makeOtpCredential } from '../credentials/credentials.ts'
import type { CredentialRow, CustomerRow } from '../db/schema/tables.ts'
import { insert, update, type Write } from '../db/writes.ts'
import { accountCurrencies, type PlatformConfig } from '../platforms/platforms.ts'

/** What an approved customer gets: an account per currency of the platform and, with an e-mail, a wallet. */
export function openCustomerAccounts(op: Op, config: PlatformConfig, customer: CustomerRow): Write[] {
  return [
    ...accountCurrencies(config).flatMap((currency) => makeInternalAccount(op, customer.id, currency)),
    ...(customer.email === null ? [] : openWallet(op, customer.id, customer.email)),
  ]
}

/** A wallet and the credential that it is first signed in to with (specification 5.3). */
export function openWallet(op: Op, customerId: string, email: string): Write[] {
  const { accountId, writes } = makeWallet(op, customerId)
  return [...writes, insert('credentials', makeOtpCredential(op, accountId, 'EMAIL_OTP', email))]
}

/** The credential at another address. A code that went to the address before is no longer good. */
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
