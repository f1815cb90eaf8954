import { beforeAll, expect, test } from 'vitest'
import { type Client, until } from '../../worlds/client.testing.ts'
import {
  buildDailySchedule,
  listScheduleOccurrences,
  preparePayouts,
  readSchedule,
  schedule,
} from '../../worlds/records/payouts.testing.ts'
import { ensureServerBuilt, newPlace, ServerProcess } from '../../worlds/server-process.testing.ts'

beforeAll(ensureServerBuilt)

const SCHEDULES = 60
const DATES = 3
const KILLS = 3
const AMOUNT = 100

const countPayments = async (client: Client): Promise<number> =>
  (await client.get('/transactions?limit=1')).body.totalCount

test('schedules whose server is killed three times while they are due pay each of their dates once', async () => {
  const place = await newPlace()
  let server = await ServerProcess.ready(place)
  const total = SCHEDULES * DATES
  const paying = await preparePayouts(server.client(), total * AMOUNT)
  const ids: string[] = []
  for (let count = 0; count < SCHEDULES; count++)
    ids.push((await schedule(server.client(), buildDailySchedule(paying, { count: DATES }))).id)
  const last = (await readSchedule(server.client(), ids[0]!)).upcoming.at(-1)
  const paidBefore: number[] = []
  const advance = () => server.client().post('/sandbox/clock/advance', { to: last.paysAt })
  for (let kill = 1; kill <= KILLS; kill++) {
    // The server dies before it can respond.
    const advancing = advance().catch(() => undefined)
    paidBefore.push(
      await until(
        () => countPayments(server.client()),
        (payments) => payments >= ((kill - 1) * total) / KILLS + 1,
      ),
    )
    await server.kill('SIGKILL')
    await advancing
    server = await ServerProcess.ready(place)
  }
  // The first kill interrupts the payments, however fast the machine is.
  expect(paidBefore[0]).toBeLessThan(total)
  const client = server.client()
  const finalAdvance = await advance()
  // The clock may have passed this time before a kill.
  if (finalAdvance.status !== 200) await client.advance(0)
  await until(
    () => client.get('/payment-schedules?status=ENDED&limit=1'),
    ({ body }) => body.totalCount === SCHEDULES,
  )
  const occurrences = (await Promise.all(ids.map((id) => listScheduleOccurrences(client, id)))).flat()
  expect(occurrences.filter(({ status }) => status === 'SENT')).toHaveLength(total)
  expect(new Set(occurrences.map(({ transactionId }) => transactionId)).size).toBe(total)
  expect(await countPayments(client)).toBe(total)
  const accounts = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  expect(accounts.find((one: { id: string }) => one.id === paying.own).balance.amount).toBe(0)
})
