import { Failure } from '../terminal/failure.ts'
import type { Shell } from './shell.ts'

/** The currency of the platform's or a customer's internal account. Throws Failure for an unknown account. */
export async function currencyOfAccount({ countersign }: Shell, accountId: string): Promise<string> {
  for (const list of [countersign.platformInternalAccounts.list(), countersign.internalAccounts.list()])
    for await (const { id, balance } of list) if (id === accountId) return balance.currency.code
  throw new Failure(`Account ${accountId} not found.`)
}
