import { Failure } from '../terminal/failure.ts'
import type { Shell } from './shell.ts'

/**
 * Returns the currency code of a platform's or customer's internal account. Throws Failure if the
 * account is unknown.
 */
export async function findAccountCurrency({ countersign }: Shell, accountId: string): Promise<string> {
  for (const list of [countersign.platformInternalAccounts.list(), countersign.internalAccounts.list()])
    for await (const { id, balance } of list) if (id === accountId) return balance.currency.code
  throw new Failure(`Account ${accountId} not found.`)
}
