import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, signIn } from '../../worlds/client.testing.ts'
import {
  ensureServerBuilt,
  findStorageProcesses,
  newPlace,
  ServerProcess,
} from '../../worlds/server-process.testing.ts'

beforeAll(ensureServerBuilt)

const REQUESTS = 32

/**
 * A POST whose head the server has confirmed with 100 Continue, and whose body it awaits. Like most clients, it keeps the
 * connection open for another request.
 */
class OpenRequest {
  readonly #request: ClientRequest
  readonly #response: Promise<IncomingMessage>
  readonly #body: string

  private constructor(client: Client, path: string, body: unknown, agent: Agent) {
    this.#body = JSON.stringify(body)
    this.#request = request(client.baseUrl + path, {
      method: 'POST',
      agent,
      headers: {
        Authorization: client.authorization,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(this.#body),
        Expect: '100-continue',
      },
    })
    this.#response = once(this.#request, 'response').then(([response]) => response)
    this.#request.flushHeaders()
  }

  static async begin(client: Client, path: string, body: unknown, agent: Agent): Promise<OpenRequest> {
    const started = new OpenRequest(client, path, body, agent)
    await once(started.#request, 'continue')
    return started
  }

  async finish(): Promise<{ status: number | undefined; body: { id: string } }> {
    this.#request.end(this.#body)
    const response = await this.#response
    return { status: response.statusCode, body: JSON.parse(await text(response)) }
  }
}

/**
 * Eight clients execute quotes until the server is gone; `onPaid` gets the number executed so far. Returns the executed
 * transactions.
 */
async function payUntilGone(client: Client, onPaid: (count: number) => void): Promise<string[]> {
  const ada = await newCustomer(client)
  const bank = await newBankAccount(client, ada.id)
  await fund(client, ada.wallet, 1_000_000_000)
  const { stamp } = await signIn(client, ada.wallet)
  const transactionIds: string[] = []
  const executeQuote = async () => {
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: ada.wallet },
      destination: { destinationType: 'ACCOUNT', accountId: bank },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1_000_000,
    })
    if (quote.status !== 201) throw new Error(`a quote answered ${quote.status}`)
    const [instructions] = quote.body.paymentInstructions
    const signature = stamp(instructions.accountOrWalletInfo.payloadToSign)
    const path = `/quotes/${quote.body.id}/execute`
    const reply = await client.post(path, undefined, { 'Svc-Wallet-Signature': signature })
    if (reply.status !== 200) throw new Error(`executing answered ${reply.status}`)
    transactionIds.push(quote.body.transactionId)
    onPaid(transactionIds.length)
  }
  const payForever = async (): Promise<never> => {
    for (;;) await executeQuote()
  }
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, payForever))
  expect(outcomes.map((outcome) => String((outcome as PromiseRejectedResult).reason))).toEqual(
    Array(8).fill('TypeError: fetch failed'),
  )
  return transactionIds
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s under load completes requests in progress, loses no acknowledged write, exits with 0 and leaves nothing behind',
  async (signal) => {
    const place = await newPlace()
    const server = await ServerProcess.ready(place)
    const client = server.client()
    const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
    const startRequest = (n: number) =>
      OpenRequest.begin(
        client,
        '/customers',
        { customerType: 'INDIVIDUAL', fullName: `Customer ${n}`, email: `c${n}@example.com` },
        agent,
      )
    const requests = await Promise.all(Array.from({ length: REQUESTS }, (_, n) => startRequest(n)))

    const paying = payUntilGone(client, (count) => {
      if (count === 10) server.signal(signal)
    })
    // npm passes on a Ctrl-C that the terminal has already sent.
    const signalledAgain = server.says('Closing').then(() => server.signal(signal))
    const [transactionIds] = await Promise.all([paying, signalledAgain])
    const replies = await Promise.all(requests.map((openRequest) => openRequest.finish()))
    expect(replies.map(({ status }) => status)).toEqual(Array(REQUESTS).fill(201))
    await expect(fetch(`${server.origin}/healthz`)).rejects.toThrow()
    expect(await server.ended()).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(findStorageProcesses(place)).toEqual([])
    agent.destroy()

    const restartedClient = (await ServerProcess.ready(place)).client()
    const customers = await Promise.all(
      replies.map(({ body }) => restartedClient.get(`/customers/${body.id}`)),
    )
    expect(customers.map(({ body }) => body)).toEqual(replies.map(({ body }) => body))
    await restartedClient.advance(0)
    const payments = await Promise.all(transactionIds.map((id) => restartedClient.get(`/transactions/${id}`)))
    expect(payments.map(({ body }) => body.status)).toEqual(Array(transactionIds.length).fill('COMPLETED'))
  },
)
