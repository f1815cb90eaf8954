import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, until } from '../../worlds/client.testing.ts'
import { ensureServerBuilt } from '../../worlds/server-process.testing.ts'
import {
  findAccount,
  newCustomerAccount,
  pay,
  readBalance,
  TwoCells,
  waitForEnd,
} from './two-cells.testing.ts'

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

const waitForBalance = (client: Client, account: Awaited<ReturnType<typeof findAccount>>, amount: number) =>
  until(
    () => readBalance(client, account),
    (balance) => balance === amount,
  )

test('payments between two cells arrive once even if the connector is killed, and settle to zero on both sides', {
  tags: 'smoke',
}, async () => {
  const payer = await newCustomerAccount(north)
  const payee = await newCustomerAccount(south)
  await world.payIn('north', payer.house, 100_000)
  await waitForBalance(north, payer, 100_000)

  const first = await pay(north, payer, payee.bridge, 1_000, 'SEPA_INSTANT')
  const otherPayments = Array.from({ length: 12 }, () =>
    pay(north, payer, payee.bridge, 1_000, 'SEPA_INSTANT'),
  )
  for (let kills = 0; kills < 3; kills++) await world.killBridge()
  const ids = [first, ...(await Promise.all(otherPayments))]
  await world.killBridge()
  for (const id of ids) expect((await waitForEnd(north, id)).status).toBe('COMPLETED')
  await waitForBalance(south, payee, 13_000)
  const refund = await pay(south, payee, payer.bridge, 3_000, 'SEPA_INSTANT')
  expect((await waitForEnd(south, refund)).status).toBe('COMPLETED')
  await waitForBalance(north, payer, 90_000)
  expect(await world.readPosition()).toEqual({ north: '-10000', south: '10000' })
  const deposits = (await south.get('/deposits?rail=bridge')).body.data
  expect(deposits.map(({ railReference }: { railReference: string }) => railReference).sort()).toEqual(
    ids.sort(),
  )

  // North pays its debt through the house banks, and south returns the same amount over the bridge.
  const [debtor, creditor] = [await findAccount(north), await findAccount(south)]
  await world.payIn('north', debtor.house, 10_000)
  await waitForBalance(north, debtor, 10_000)
  const payment = await pay(north, debtor, creditor.house, 10_000, 'SEPA')
  expect((await waitForEnd(north, payment)).status).toBe('COMPLETED')
  await world.payIn('south', creditor.house, 10_000)
  await waitForBalance(south, creditor, 10_000)
  const netting = await pay(south, creditor, debtor.bridge, 10_000, 'SEPA_INSTANT')
  expect((await waitForEnd(south, netting)).status).toBe('COMPLETED')
  await waitForBalance(north, debtor, 10_000)
  expect(await world.readPosition()).toEqual({ north: '0', south: '0' })

  const unsettledId = await pay(north, payer, payee.bridge, 2_500, 'SEPA_INSTANT')
  await waitForEnd(north, unsettledId)
  await waitForBalance(south, payee, 12_500)
  const date = await world.closeDay()
  for (const [cell, closingBalance] of [['north', -2_500] as const, ['south', 2_500] as const])
    expect(await world.reconcile(cell, date)).toMatchObject({
      status: 'BALANCED',
      differenceCount: 0,
      statement: { openingBalance: 0, closingBalance },
      ledger: { balance: closingBalance },
    })
})

test('a payment that the other cell cannot credit is refunded to its payer, even if the connector is killed', async () => {
  const payer = await newCustomerAccount(north)
  const payee = await newCustomerAccount(south)
  await world.payIn('north', payer.house, 5_000)
  await waitForBalance(north, payer, 5_000)
  const before = await world.readPosition()
  expect((await south.send('DELETE', `/customers/${payee.customerId}`)).status).toBe(200)

  const id = await pay(north, payer, payee.bridge, 5_000, 'SEPA_INSTANT')
  const { body } = await until(
    () => south.get('/deposits?status=SUSPENSE'),
    (reply) => reply.body.data.length > 0,
  )
  expect(body.data).toMatchObject([{ rail: 'bridge', railReference: id, reason: 'CUSTOMER_DELETED' }])
  await south.post(`/deposits/${body.data[0].id}/return`)
  await world.killBridge()
  await waitForBalance(north, payer, 5_000)
  expect(await waitForEnd(north, id)).toMatchObject({ status: 'FAILED' })
  expect(await world.readPosition()).toEqual(before)
})

test('a payment to an account number that the other cell does not have fails, and its payer is refunded', async () => {
  const payer = await newCustomerAccount(north)
  await world.payIn('north', payer.house, 700)
  await waitForBalance(north, payer, 700)
  const before = await world.readPosition()
  const id = await pay(north, payer, 'DE89370400440532013000', 700, 'SEPA_INSTANT')
  expect(await waitForEnd(north, id)).toMatchObject({ status: 'FAILED' })
  await waitForBalance(north, payer, 700)
  expect(await world.readPosition()).toEqual(before)
})
