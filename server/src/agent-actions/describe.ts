import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { describeInternalAccount } from '../accounts/accounts.ts'
import { describeAccount } from '../external-accounts/describe.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import type { Op } from '../op/app.ts'
import { inWords } from '../pricing/pricing.ts'
import { fundingOf } from '../quotes/settlement.ts'
import type { Payment } from './actions.ts'

/** Describes a payment in a sentence for the person who approves it. */
export async function describePayment(op: Op, { transaction, quote }: Payment): Promise<string> {
  const sends = inWords(transaction.sent_amount!, transaction.sent_currency as KnownCurrency)
  if (transaction.kind === 'TRANSFER_IN')
    return `Pull ${sends} from ${await named(op, transaction.source_account_id!, transaction.sent_currency!)}`
  const to =
    quote?.destination_uma ??
    (await named(
      op,
      transaction.destination_account_id!,
      transaction.received_currency ?? transaction.sent_currency!,
    ))
  if (!quote) return `Send ${sends} to ${to}`
  const receives = inWords(quote.receiving_amount, quote.receiving_currency as KnownCurrency)
  const pulled =
    fundingOf(quote) === 'PULLED'
      ? ` pulled from ${await named(op, quote.source_account_id!, quote.sending_currency)},`
      : ''
  return `Pay ${sends}, fees included,${pulled} so that ${to} receives ${receives}`
}

async function named(op: Op, accountId: string, currency: string): Promise<string> {
  return accountId.startsWith('ExternalAccount:')
    ? describeAccount(await findExternalAccount(op, accountId))
    : describeInternalAccount({ id: accountId, currency })
}
