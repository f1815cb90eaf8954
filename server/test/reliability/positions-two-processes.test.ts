import { beforeAll, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { Client, newBankAccount } from '../worlds/client.testing.ts'
import {
  account,
  newRichCustomer,
  quoted,
  readPlatformPositions,
  to,
} from '../worlds/records/payments.testing.ts'
import { ensureServerBuilt, newPlace, onPostgres, ServerProcess } from '../worlds/server-process.testing.ts'

const QUOTES = 50
const QUOTES_IN_LIMIT = 7
const AMOUNT = 1_001

beforeAll(ensureServerBuilt)

test.runIf(onPostgres)(
  'three processes on one database together use exactly the limit of a position, and a process without limits frees it',
  async () => {
    const place = await newPlace()
    const limited = { FX_POSITION_LIMITS: `USD:${(QUOTES_IN_LIMIT + 1) * AMOUNT - 1}` }
    const firstServer = await ServerProcess.ready(place, limited)
    const otherServers = [
      await ServerProcess.ready(place, limited),
      await ServerProcess.ready(place, limited),
    ]
    const client = firstServer.client()
    const clients = [client, ...otherServers.map(({ baseUrl }) => new Client(client.credentials, baseUrl))]
    const payer = await newRichCustomer(client)
    // Payments to this account take six minutes.
    const bank = await newBankAccount(client, payer.id, '003')
    const quotes = await Promise.all(
      Array.from({ length: QUOTES }, () =>
        quoted(client, account(payer.eur), to(bank), { lockedCurrencyAmount: AMOUNT }),
      ),
    )
    const replies = await Promise.all(
      quotes.map(({ id }, index) => clients[index % clients.length]!.post(`/quotes/${id}/execute`)),
    )
    for (const { status, body } of replies) expect([200, 503], toJson(body)).toContain(status)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(QUOTES_IN_LIMIT)
    for (const serverClient of clients)
      expect((await readPlatformPositions(serverClient)).USD).toMatchObject({
        sold: QUOTES_IN_LIMIT * AMOUNT,
        available: AMOUNT - 1,
      })

    for (const server of [firstServer, ...otherServers]) await server.kill('SIGKILL')
    const unlimited = await ServerProcess.ready(place)
    await unlimited.client().advance(6 * 60)
    const restarted = await ServerProcess.ready(place, limited)
    expect((await readPlatformPositions(restarted.client())).USD).toMatchObject({
      position: -QUOTES_IN_LIMIT * AMOUNT,
      bought: 0,
      sold: 0,
    })
  },
)
