import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../worlds/client.testing.ts'
import {
  dateBefore,
  ModelBank,
  openProduction,
  type Production,
} from '../../worlds/production/production.testing.ts'

let world: Production
beforeAll(async () => {
  world = await openProduction()
})
afterAll(() => world.close())

const FORTUNE = '6000000000000000000'
const PART = '2000000000000000000'

test('a statement whose deposits fit the balances one by one but not together is booked as far as possible', async () => {
  const bank = new ModelBank(world)
  const yesterday = dateBefore(1)
  const buildDeposit = (name: string, value: string) => ({
    depositId: `${bank.name}-${name}`,
    depositAccountId: 'of-nobody',
    amount: { value, currency: 'EUR' },
    receivedAt: `${yesterday}T11:00:00Z`,
  })
  await bank.tell(bank.event('deposit.received', buildDeposit('fortune', FORTUNE)))
  for (const name of ['first', 'second']) {
    const details = buildDeposit(name, PART)
    bank.book(yesterday, { kind: 'DEPOSIT', depositId: details.depositId, amount: PART, deposit: details })
  }
  await bank.tell(bank.event('statement', bank.close(yesterday)))
  const waitingEvents = await until(
    async () => (await world.client.get(`/rail-events?rail=${bank.name}&status=WAITING`)).body.data,
    (data) => data.length > 0,
  )
  expect(waitingEvents).toMatchObject([{ type: 'deposit.received', reason: 'OUT_OF_RANGE' }])
  const { data } = (await world.client.get(`/deposits?rail=${bank.name}&status=SUSPENSE`)).body
  expect(data.map(({ railReference }: { railReference: string }) => railReference).sort()).toEqual([
    `${bank.name}-first`,
    `${bank.name}-fortune`,
  ])
})
