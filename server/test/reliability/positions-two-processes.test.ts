import { beforeAll, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { Client, newBankAccount } from '../worlds/client.testing.ts'
import { account, newRichCustomer, positionsOf, quoted, to } from '../worlds/records/payments.testing.ts'
import { ensureServerBuilt, newPlace, onPostgres, ServerProcess } from '../worlds/server-process.testing.ts'

const QUOTES = 50
const FIT = 7
const AMOUNT = 1_001

beforeAll(ensureServerBuilt)

test.runIf(onPostgres)(
  'three processes on one database use up a position to the unit and no more, and one without limits gives it back',
  async () => {
    const place = await newPlace()
    const limited = { FX_POSITION_LIMITS: `USD:${(FIT + 1) * AMOUNT - 1}` }
    const one = await ServerProcess.ready(place, limited)
    const others = [await ServerProcess.ready(place, limited), await ServerProcess.ready(place, limited)]
    const client = one.client()
    const clients = [client, ...others.map(({ baseUrl }) => new Client(client.credentials, baseUrl))]
    const payer = await newRichCustomer(client)
    // Payments to it take six minutes.
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
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(FIT)
    for (const there of clients)
      expect((await positionsOf(there)).USD).toMatchObject({ sold: FIT * AMOUNT, available: AMOUNT - 1 })

    for (const server of [one, ...others]) await server.kill('SIGKILL')
    const unlimited = await ServerProcess.ready(place)
    await unlimited.client().advance(6 * 60)
    const again = await ServerProcess.ready(place, limited)
    expect((await positionsOf(again.client())).USD).toMatchObject({
      position: -FIT * AMOUNT,
      bought: 0,
      sold: 0,
    })
  },
)
