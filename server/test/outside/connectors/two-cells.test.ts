import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, until } from '../../worlds/client.testing.ts'
import { ensureServerBuilt } from '../../worlds/server-process.testing.ts'
import { accountOf, balanceOf, ended, newCustomerAccount, pay, TwoCells } from './two-cells.testing.ts'

let world: TwoCells
let north: Client
let south: Client
beforeAll(async () => {
  await ensureServerBuilt()
  world = await TwoCells.open()
  north = world.cells.north.client
  south = world.cells.south.client
})
afterAll(() => world?.close())

const settled = (client: Client, account: Awaited<ReturnType<typeof accountOf>>, amount: number) =>
  until(
    () => balanceOf(client, account),
    (balance) => balance === amount,
  )

test('payments between two cells arrive once while the connector is killed, and are settled to zero on both sides', {
  tags: 'smoke',
}, async () => {
  const payer = await newCustomerAccount(north)
  const payee = await newCustomerAccount(south)
  await world.payIn('north', payer.house, 100_000)
  await settled(north, payer, 100_000)

  const first = await pay(north, payer, payee.bridge, 1_000, 'SEPA_INSTANT')
  const rest = Array.from({ length: 12 }, () => pay(north, payer, payee.bridge, 1_000, 'SEPA_INSTANT'))
  for (let kills = 0; kills < 3; kills++) await world.killBridge()
  const paid = [first, ...(await Promise.all(rest))]
  await world.killBridge()
  for (const id of paid) expect((await ended(north, id)).status).toBe('COMPLETED')
  await settled(south, payee, 13_000)
  const back = await pay(south, payee, payer.bridge, 3_000, 'SEPA_INSTANT')
  expect((await ended(south, back)).status).toBe('COMPLETED')
  await settled(north, payer, 90_000)
  expect(await world.position()).toEqual({ north: '-10000', south: '10000' })
  const deposits = (await south.get('/deposits?rail=bridge')).body.data
  expect(deposits.map(({ railReference }: { railReference: string }) => railReference).sort()).toEqual(
    paid.sort(),
  )

  // North pays what it owes by the house banks, and south gives the same amount back over the bridge.
  const [debtor, creditor] = [await accountOf(north), await accountOf(south)]
  await world.payIn('north', debtor.house, 10_000)
  await settled(north, debtor, 10_000)
  const payment = await pay(north, debtor, creditor.house, 10_000, 'SEPA')
  expect((await ended(north, payment)).status).toBe('COMPLETED')
  await world.payIn('south', creditor.house, 10_000)
  await settled(south, creditor, 10_000)
  const netting = await pay(south, creditor, debtor.bridge, 10_000, 'SEPA_INSTANT')
  expect((await ended(south, netting)).status).toBe('COMPLETED')
  await settled(north, debtor, 10_000)
  expect(await world.position()).toEqual({ north: '0', south: '0' })

  const unsettled = await pay(north, payer, payee.bridge, 2_500, 'SEPA_INSTANT')
  await ended(north, unsettled)
  await settled(south, payee, 12_500)
  const date = await world.closeDay()
  for (const [cell, closingBalance] of [['north', -2_500] as const, ['south', 2_500] as const])
    expect(await world.reconcile(cell, date)).toMatchObject({
      status: 'BALANCED',
      differenceCount: 0,
      statement: { openingBalance: 0, closingBalance },
      ledger: { balance: closingBalance },
    })
})

test('a payment that the other cell cannot credit comes back to its payer, also if the connector is killed', async () => {
  const payer = await newCustomerAccount(north)
  const payee = await newCustomerAccount(south)
  await world.payIn('north', payer.house, 5_000)
  await settled(north, payer, 5_000)
  const before = await world.position()
  expect((await south.send('DELETE', `/customers/${payee.customerId}`)).status).toBe(200)

  const id = await pay(north, payer, payee.bridge, 5_000, 'SEPA_INSTANT')
  const { body } = await until(
    () => south.get('/deposits?status=SUSPENSE'),
    (reply) => reply.body.data.length > 0,
  )
  expect(body.data).toMatchObject([{ rail: 'bridge', railReference: id, reason: 'CUSTOMER_DELETED' }])
  await south.post(`/deposits/${body.data[0].id}/return`)
  await world.killBridge()
  await settled(north, payer, 5_000)
  expect(await ended(north, id)).toMatchObject({ status: 'FAILED' })
  expect(await world.position()).toEqual(before)
})

test('a payment to a number that the other cell does not have fails, and its payer has the money again', async () => {
  const payer = await newCustomerAccount(north)
  await world.payIn('north', payer.house, 700)
  await settled(north, payer, 700)
  const before = await world.position()
  const id = await pay(north, payer, 'DE89370400440532013000', 700, 'SEPA_INSTANT')
  expect(await ended(north, id)).toMatchObject({ status: 'FAILED' })
  await settled(north, payer, 700)
  expect(await world.position()).toEqual(before)
})
