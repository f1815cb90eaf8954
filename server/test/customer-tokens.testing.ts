import type { Client, Reply } from './client.testing.ts'

/** A customer's own device or page: calls with a customer's token and nothing else. */
export class CustomerClient {
  readonly #client: Client
  readonly token: Reply['body']

  constructor(client: Client, token: Reply['body']) {
    this.#client = client
    this.token = token
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const Authorization = `Bearer ${this.token.accessToken}`
    return this.#client.send(method, path, body, { Authorization, ...headers })
  }

  get = (path: string) => this.send('GET', path)
  post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.send('POST', path, body, headers)
}

/** A customer's token with every permission that it can have, or with these. */
export async function customerClient(
  client: Client,
  customerId: string,
  more: object = {},
): Promise<CustomerClient> {
  const permissions = ['VIEW', 'TRANSACT', 'MANAGE']
  const { status, body } = await client.post('/customer-tokens', { customerId, permissions, ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return new CustomerClient(client, body)
}
