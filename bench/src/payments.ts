import { type Connection, type Reply, wireRequest } from './connections.ts'
import { PAYMENT, type Payer } from './payers.ts'
import type { Payer as TransferPayer } from './seed.ts'

/** The requests of one platform or one agent, as bytes of the wire. */
export class Api {
  readonly #pathname: string
  readonly #authorization: string

  /** `pathname` of the base address; `credentials` as `<token id>:<client secret>`, or the token of an agent. */
  constructor(pathname: string, credentials: string | { readonly accessToken: string }) {
    this.#pathname = pathname
    this.#authorization =
      typeof credentials === 'string'
        ? `Basic ${Buffer.from(credentials).toString('base64')}`
        : `Bearer ${credentials.accessToken}`
  }

  get(path: string): string {
    return wireRequest('GET', this.#pathname + path, { Authorization: this.#authorization })
  }

  post(path: string, body?: string, headers: Readonly<Record<string, string>> = {}): string {
    return this.#send('POST', path, body, headers)
  }

  patch(path: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
    return this.#send('PATCH', path, body, headers)
  }

  #send(method: string, path: string, body?: string, headers: Readonly<Record<string, string>> = {}): string {
    const all = { Authorization: this.#authorization, ...headers }
    return wireRequest(method, this.#pathname + path, all, body)
  }
}

export interface Quote {
  readonly id: string
  readonly transactionId: string
  readonly paymentInstructions: readonly {
    readonly accountOrWalletInfo: { readonly payloadToSign: string }
  }[]
}

/** An executable quote, with both calls as bytes of the wire. */
export interface Payment {
  readonly transactionId: string
  readonly challenge: string
  readonly signed: string
}

export async function createQuote(api: Api, connection: Connection, payer: Payer): Promise<Quote> {
  const body = JSON.stringify({
    source: { sourceType: 'ACCOUNT', accountId: payer.walletId },
    destination: { destinationType: 'ACCOUNT', accountId: payer.bankAccountId },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: Number(PAYMENT),
  })
  return JSON.parse(await bodyOf(connection.send(api.post('/quotes', body)), 201)) as Quote
}

/** The quote contains the payload, and the payload the request's id, so both calls can be written beforehand. */
export async function preparePayment(api: Api, payer: Payer, quote: Quote): Promise<Payment> {
  const payload = quote.paymentInstructions[0]!.accountOrWalletInfo.payloadToSign
  const { requestId } = JSON.parse(payload) as { requestId: string }
  const path = `/quotes/${quote.id}/execute`
  const key = { 'Idempotency-Key': quote.id }
  const signature = await payer.session.key.sign(payload)
  const signedHeaders = { ...key, 'Svc-Wallet-Signature': signature, 'Request-Id': requestId }
  return {
    transactionId: quote.transactionId,
    challenge: api.post(path, undefined, key),
    signed: api.post(path, undefined, signedHeaders),
  }
}

/** Makes both calls. */
export async function execute(connection: Connection, payment: Payment): Promise<void> {
  await bodyOf(connection.send(payment.challenge), 202)
  await bodyOf(connection.send(payment.signed), 200)
}

/** A cent from an account to its bank account, by a network where one is asked for. */
export function transferRequest(
  api: Api,
  { accountId, bankAccountId }: TransferPayer,
  key: string,
  network?: string,
): string {
  const destination = JSON.stringify({ accountId: bankAccountId, paymentRail: network })
  const body = `{"source":{"accountId":"${accountId}"},"destination":${destination},"amount":1}`
  return api.post('/transfer-out', body, { 'Idempotency-Key': key })
}

/** Resolves once all executed payments have settled: `advance` runs all due work. */
export async function settleAll(api: Api, connection: Connection): Promise<void> {
  await bodyOf(connection.send(api.post('/sandbox/clock/advance', '{"seconds":0}')), 200)
}

/** The body of an answer that must have the status `wanted`. */
export async function bodyOf(reply: Promise<Reply>, wanted: number): Promise<string> {
  const { status, body } = await reply
  if (status !== wanted) throw new Error(`The server answered ${status}, not ${wanted}: ${body}`)
  return body
}
