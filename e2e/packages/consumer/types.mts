import { type Answer, Countersign, CountersignError, type Input } from '@countersign/sdk'
import { DeviceKey, type Session, type Wallet } from '@countersign/sdk/wallet'
import { verifyWebhook } from '@countersign/sdk/webhooks'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** Compiles where the two types are the same, so that a declaration that became `any` is an error. */
function same<A, B>(_: Same<A, B>): void {}

const countersign = new Countersign({
  baseUrl: 'http://127.0.0.1:8787/2025-10-13',
  tokenId: '',
  clientSecret: '',
})

export async function use(accountId: string): Promise<string | undefined> {
  const { body: quote } = await countersign.call('quote_get', { params: { quoteId: 'Quote:…' } })
  same<typeof quote.totalSendingAmount, bigint>(true)
  same<typeof quote.id, string>(true)
  const wallet = countersign.wallet(accountId)
  same<typeof wallet, Wallet>(true)
  const session = await wallet.email.signIn({ code: async () => '000000' })
  same<typeof session, Session>(true)
  same<Answer<'quote_get'>['body'], typeof quote>(true)
  const key = await DeviceKey.generate()
  same<typeof key.publicKey, string>(true)
  // @ts-expect-error: there is no such call
  await countersign.call('quote_gett', {})
  // @ts-expect-error: an amount is a bigint
  const input: Input<'sandbox_account_fund'> = { params: { accountId }, body: { amount: 1 } }
  try {
    const event = await verifyWebhook({ payload: '', headers: {}, secret: '' })
    if (event.type === 'INCOMING_PAYMENT.COMPLETED') return event.data.id
  } catch (error) {
    if (error instanceof CountersignError) same<typeof error.status, number>(true)
  }
  return input.params.accountId
}
