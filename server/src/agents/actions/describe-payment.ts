import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import { describeInternalAccount } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { toSentAmount } from '../../kernel/transactions/transactions.ts'
import { describeAccount } from '../../money/external-accounts/describe.ts'
import { findExternalAccount } from '../../money/external-accounts/external-accounts.ts'
import { getFunding } from '../../money/quotes/settlement.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { ActionPayment } from './action-payment.ts'

/** Describes a payment in a sentence for the person who approves it. */
export async function describePayment(op: Op, { transaction, quote }: ActionPayment): Promise<string> {
  const sent = toSentAmount(transaction)
  const sentText = formatCurrencyAmount(sent.amount, sent.currency)
  if (transaction.kind === 'TRANSFER_IN')
    return `Pull ${sentText} from ${await describeParty(op, requireColumn(transaction, 'source_account_id'), sent.currency)}`
  const payee =
    quote?.destination_uma ??
    (await describeParty(
      op,
      requireColumn(transaction, 'destination_account_id'),
      transaction.received_currency ?? sent.currency,
    ))
  if (!quote) return `Send ${sentText} to ${payee}`
  const receivedText = formatCurrencyAmount(quote.receiving_amount, quote.receiving_currency)
  const pullText =
    getFunding(quote) === 'PULLED'
      ? ` pulled from ${await describeParty(op, requireColumn(quote, 'source_account_id'), quote.sending_currency)},`
      : ''
  return `Pay ${sentText}, fees included,${pullText} so that ${payee} receives ${receivedText}`
}

async function describeParty(op: Op, accountId: string, currency: KnownCurrency): Promise<string> {
  return accountId.startsWith('ExternalAccount:')
    ? describeAccount(await findExternalAccount(op, accountId))
    : describeInternalAccount({ id: accountId, currency })
}
