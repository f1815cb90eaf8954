import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { describeInternalAccount } from '../accounts/accounts.ts'
import { required } from '../db/read/required.ts'
import { describeAccount } from '../external-accounts/describe.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import type { Op } from '../op/app.ts'
import { amountInWords } from '../pricing/pricing.ts'
import { fundingOf } from '../quotes/settlement.ts'
import { sentOf } from '../transactions/transactions.ts'
import type { ActionPayment } from './actions.ts'

/** Describes a payment in a sentence for the person who approves it. */
export async function describePayment(op: Op, { transaction, quote }: ActionPayment): Promise<string> {
  const sent = sentOf(transaction)
  const sends = amountInWords(sent.amount, sent.currency)
  if (transaction.kind === 'TRANSFER_IN')
    return `Pull ${sends} from ${await named(op, required(transaction, 'source_account_id'), sent.currency)}`
  const to =
    quote?.destination_uma ??
    (await named(
      op,
      required(transaction, 'destination_account_id'),
      transaction.received_currency ?? sent.currency,
    ))
  if (!quote) return `Send ${sends} to ${to}`
  const receives = amountInWords(quote.receiving_amount, quote.receiving_currency)
  const pulled =
    fundingOf(quote) === 'PULLED'
      ? ` pulled from ${await named(op, required(quote, 'source_account_id'), quote.sending_currency)},`
      : ''
  return `Pay ${sends}, fees included,${pulled} so that ${to} receives ${receives}`
}

async function named(op: Op, accountId: string, currency: KnownCurrency): Promise<string> {
  return accountId.startsWith('ExternalAccount:')
    ? describeAccount(await findExternalAccount(op, accountId))
    : describeInternalAccount({ id: accountId, currency })
}
