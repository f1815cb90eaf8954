import { expect } from 'vitest'
import { toJson } from '../../src/json/json.ts'
import { type Client, fund, newCustomer, type Reply } from '../client.testing.ts'

/** A position as the API shows it, without the words about its currency. */
export interface ShownPosition {
  readonly position: number
  readonly bought: number
  readonly sold: number
  readonly limit: number | undefined
  readonly available: number | undefined
}

/** The positions of the platform by the codes of their currencies. */
export async function positionsOf(client: Client): Promise<Record<string, ShownPosition>> {
  const { status, body } = await client.get('/positions')
  expect(status, toJson(body)).toBe(200)
  return Object.fromEntries(
    body.data.map(({ currency, position, inFlight, limit, available }: Reply['body']) => [
      currency.code,
      { position, ...inFlight, limit, available },
    ]),
  )
}

/** A customer with plenty of dollars and euros. */
export async function newRichCustomer(client: Client) {
  const customer = await newCustomer(client)
  await Promise.all([customer.usd, customer.eur].map((id) => fund(client, id, 100_000_000)))
  return customer
}

export function expectAtLimit(reply: Reply, currency: string): void {
  expect(reply, toJson(reply.body)).toMatchObject({
    status: 503,
    body: { code: 'POSITION_LIMIT_REACHED', details: { currency } },
  })
  expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThan(0)
}
