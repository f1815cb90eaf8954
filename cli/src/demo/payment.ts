import { randomBytes } from 'node:crypto'
import { type Answer, CountersignError } from '@countersign/sdk'
import { membersOf, type Payment, type Session, signedCall } from '@countersign/sdk/wallet'
import { formatAmount, formatRate } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'
import { wrap } from '../terminal/script.ts'
import type { DemoCustomer } from './customer.ts'
import type { Demo } from './open-demo.ts'

const WORDS_WIDTH = 72

type Quote = Answer<'quote_create'>['body']

/** A payment from the demo wallet. */
export interface Order {
  readonly walletId: string
  /** The account that receives the payment. */
  readonly payeeId: string
  /** The delivered amount in the smallest unit, and as text. */
  readonly delivered: bigint
  readonly amountText: string
}

/** A completed `quote_execute` call, with everything needed to repeat it, and its transaction. */
export interface Execution {
  readonly transaction: Answer<'transaction_get'>['body']
  readonly call: {
    readonly params: { readonly quoteId: string }
    readonly idempotencyKey: string
    readonly requestId: string
    readonly signature: string
  }
}

/** Creates a quote, has the device sign it, and waits for the payment to settle. */
export async function pay(demo: Demo, order: Order, session: Session): Promise<Execution> {
  const { countersign, script } = demo
  const quote = await makeQuote(demo, order)

  const params = { quoteId: quote.id }
  const idempotencyKey = randomBytes(16).toString('hex')
  script.call('quote_execute', "pays; the wallet's signature is still missing")
  const first = await countersign.call('quote_execute', { params, idempotencyKey })
  if (first.status !== 202) throw new Failure(`The first call returned ${first.status}, not 202.`)
  const { payloadToSign, requestId, expiresAt } = first.body
  script.show('response', '202: sign this payload')
  script.show('request', requestId)

  script.step('device: checks that this is the call it requested', 'and shows the amount and the payee')
  const expectedCall = { ...signedCall('quote_execute', { params }), requestId, expiresAt }
  const signature = await session
    .confirmedBy((payment) => confirmPayment(demo, payment, quote))
    .approve(payloadToSign, expectedCall)
  script.show('stamp', `${signature.slice(0, 50)}… (${signature.length} characters)`)

  const call = { params, idempotencyKey, requestId, signature }
  script.call('quote_execute', 'repeats the call with the stamp')
  const second = await countersign.call('quote_execute', call)
  if (second.status !== 200) throw new Failure(`The signed call returned ${second.status}, not 200.`)
  script.show('quote', `${second.body.status}: the amount is held`)

  script.call('transaction_get', 'waits until the payment has ended')
  const startMs = performance.now()
  const transaction = await countersign.waitForTransaction(quote.transactionId)
  script.show('transaction', transaction.id)
  script.show('status', `${transaction.status} after ${Math.round(performance.now() - startMs)} ms`)
  if (transaction.status !== 'COMPLETED')
    throw new Failure(`The payment ended with the status ${transaction.status}.`)
  return { call, transaction }
}

/** Shows the confirmation that an app would show, based only on the signed text. */
function confirmPayment({ script }: Demo, payment: Payment, quote: Quote): boolean {
  for (const [i, line] of wrap(payment.summary, WORDS_WIDTH).entries())
    script.show(i === 0 ? 'summary' : '', line)
  script.show('leaves', formatAmount(payment.sends.amount, quote.sendingCurrency))
  script.show('arrives', formatAmount(payment.delivers.amount, quote.receivingCurrency))
  for (const [i, [member, text]] of membersOf(payment.destination).entries())
    script.show(i === 0 ? 'at' : '', `${member}: ${text}`)
  return true
}

async function makeQuote(
  { countersign, script }: Demo,
  { walletId, payeeId, delivered, amountText }: Order,
): Promise<Quote> {
  script.call('quote_create', `requests a quote for delivering ${amountText}`)
  const { body: quote } = await countersign.call('quote_create', {
    body: {
      source: { sourceType: 'ACCOUNT', accountId: walletId },
      destination: { destinationType: 'ACCOUNT', accountId: payeeId },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: delivered,
      description: 'Countersign demo',
    },
  })
  const { sendingCurrency, receivingCurrency, rateDetails } = quote
  const formatSent = (amount: bigint) => formatAmount(amount, sendingCurrency).padStart(16)
  script.show('quote', `${quote.id}, until ${quote.expiresAt}`)
  script.show('rate', formatRate(quote.exchangeRate, sendingCurrency, receivingCurrency))
  script.show('delivered', formatSent(quote.totalSendingAmount - quote.feesIncluded))
  if (rateDetails) {
    const share = `${Number((rateDetails.svcApiVariableFeeRate * 100).toPrecision(6))} %`
    script.show('fixed fee', formatSent(rateDetails.svcApiFixedFee))
    script.show(
      'variable fee',
      `${formatSent(quote.feesIncluded - rateDetails.svcApiFixedFee)}  ${share} of the rest`,
    )
  }
  script.show('sum', `${formatSent(quote.totalSendingAmount)}  leave the wallet`)
  return quote
}

/**
 * Shows the balance, and that neither the idempotency key nor the signing request can be reused for a second
 * payment.
 */
export async function showReplays(demo: Demo, customer: DemoCustomer, { call }: Execution): Promise<void> {
  const { countersign, script } = demo
  script.call('customer_internal_account_list', 'shows the remaining balance')
  const { body: accounts } = await countersign.call('customer_internal_account_list', {
    query: { customerId: customer.id, type: 'EMBEDDED_WALLET' },
  })
  for (const { balance, totalBalance } of accounts.data) {
    script.show('balance', formatAmount(balance.amount, balance.currency))
    script.show('total balance', formatAmount(totalBalance.amount, totalBalance.currency))
  }

  script.call('quote_execute', 'repeats the call: nothing happens twice')
  const replay = await countersign.call('quote_execute', call)
  if (replay.status !== 200 || !replay.isReplayed) throw new Failure('The response is not the stored one.')
  script.show('response', `200 ${replay.body.status}, the stored response (Idempotency-Replayed: true)`)

  script.call('quote_execute', 'repeats the used request under a new key')
  const idempotencyKey = randomBytes(16).toString('hex')
  try {
    const { status } = await countersign.call('quote_execute', { ...call, idempotencyKey })
    throw new Failure(`A used request was accepted: ${status}.`)
  } catch (error) {
    if (!(error instanceof CountersignError) || error.status !== 401) throw error
    script.show('response', `${error.status} ${error.code}: ${error.reason ?? error.message}`)
  }
}
