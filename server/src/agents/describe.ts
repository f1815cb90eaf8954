import type { KnownCurrency } from '@countersign/contract/currencies'
import type { Op } from '../app.ts'
import { describeAccount, findExternalAccount } from '../external-accounts/external-accounts.ts'
import { inWords } from '../quotes/pricing.ts'
import type { Payment } from './actions.ts'

/** What a payment would do, in a sentence for whoever has to decide. */
export async function describePayment(op: Op, { transaction, quote }: Payment): Promise<string> {
  const sends = inWords(transaction.sent_amount!, transaction.sent_currency as KnownCurrency)
  if (transaction.kind === 'TRANSFER_IN')
    return `Pull ${sends} from ${await named(op, transaction.source_account_id!)}`
  const to = quote?.destination_uma ?? (await named(op, transaction.destination_account_id!))
  if (!quote) return `Send ${sends} to ${to}`
  const receives = inWords(quote.receiving_amount, quote.receiving_currency as KnownCurrency)
  return `Pay ${sends}, fees included, so that ${to} receives ${receives}`
}

async function named(op: Op, accountId: string): Promise<string> {
  return accountId.startsWith('ExternalAccount:')
    ? describeAccount(await findExternalAccount(op, accountId))
    : `account ${accountId}`
}
