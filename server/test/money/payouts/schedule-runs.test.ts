import { afterAll, beforeAll, expect, test } from 'vitest'
import { JOB_HANDLERS } from '../../../src/edge/service/handlers.ts'
import { findPlatformAccount } from '../../../src/kernel/accounts/accounts.ts'
import { addSeconds, createOp, type Op } from '../../../src/kernel/operation/app.ts'
import { externalAccountHandlers } from '../../../src/money/external-accounts/handlers.ts'
import { findSchedule } from '../../../src/money/payouts/payment-schedules.ts'
import { paymentScheduleHandlers } from '../../../src/money/payouts/schedule-handlers.ts'
import { sandboxHandlers } from '../../../src/outside/sandbox/handlers.ts'
import type { Write } from '../../../src/storage/commit/writes.ts'
import { usAccount } from '../../worlds/records/payouts.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

/** Runs of the due work of schedules, one by one: no server takes them away. */

const DAY_SECONDS = 24 * 3600
const NOTHING = { params: {}, query: {}, body: undefined }

let service: TestServer
beforeAll(async () => {
  service = await openServer({}, { listens: false })
})
afterAll(() => service.close())

async function commit(writes: readonly Write[] | undefined): Promise<boolean> {
  const { done } = await service.app.committer.commit(writes ?? [])
  return done
}

/** A platform with this much in its dollar account, a payee, and the due work of its schedules. */
async function newPlace(amount: bigint) {
  const op = await service.newOp()
  const accountInfo = usAccount('777000789') as never
  const payee = await externalAccountHandlers.platform_external_account_create(op, {
    ...NOTHING,
    body: { currency: 'USD', accountInfo },
  })
  expect(await commit(payee.writes)).toBe(true)
  const own = (await findPlatformAccount(op, 'USD'))!.id
  const params = { accountId: own }
  const funded = await sandboxHandlers.sandbox_account_fund(op, { ...NOTHING, params, body: { amount } })
  expect(await commit(funded.writes)).toBe(true)
  /** An operation of another process, `seconds` later. */
  const later = (seconds: number): Op => ({
    ...createOp(service.app, op.platform, { kind: 'job', jobId: 'test' }),
    now: addSeconds(op.now, seconds),
  })
  return {
    later,
    balance: async () =>
      (await findPlatformAccount(later(0), 'USD'))!.posted -
      (await findPlatformAccount(later(0), 'USD'))!.held,
    add: async (ifMissed: 'PAY' | 'SKIP' = 'PAY') => {
      const made = await paymentScheduleHandlers.payment_schedule_create(later(0), {
        ...NOTHING,
        body: {
          source: { accountId: own },
          destination: { accountId: payee.body.id },
          amount: 100n,
          rule: { type: 'DAILY' },
          timeZone: 'UTC',
          ifMissed,
        },
      })
      expect(await commit(made.writes)).toBe(true)
      return scheduleOf(made.body.id, later)
    },
  }
}

function scheduleOf(id: string, later: (seconds: number) => Op) {
  return {
    row: () => findSchedule(later(0), id),
    /** The write set of a run for a date, `seconds` after the creation. */
    run: (date: string, seconds: number) =>
      JOB_HANDLERS['payment-schedule.run'](later(seconds), { scheduleId: id, date }),
    occurrences: async () => {
      const params = { paymentScheduleId: id }
      const { body } = await paymentScheduleHandlers.payment_occurrence_list(later(0), {
        ...NOTHING,
        params,
        query: { limit: 100 },
      })
      return body.data.reverse()
    },
  }
}

test('of fifty runs in parallel one announces a date, and one pays it; one that dies leaves nothing', async () => {
  const { add, balance } = await newPlace(1000n)
  const { row, run, occurrences } = await add()
  for (let number = 1; number <= 3; number++) {
    const date = (await row()).next_date!
    for (const state of ['UPCOMING', 'SENT']) {
      // A run that dies before its commit.
      await run(date, (number + 1) * DAY_SECONDS)
      const runs = await Promise.all(Array.from({ length: 50 }, () => run(date, (number + 1) * DAY_SECONDS)))
      const results = await Promise.all(runs.map(commit))
      expect(results.filter(Boolean)).toHaveLength(1)
      expect((await occurrences()).at(-1)).toMatchObject({ number, date, status: state })
    }
    // Work that was left over for a date that is over.
    expect(await run(date, 10 * DAY_SECONDS)).toEqual([])
    expect(await balance()).toBe(1000n - 100n * BigInt(number))
  }
  expect(await occurrences()).toHaveLength(3)
})

test.each([
  ['PAY', 'SENT', 0n],
  ['SKIP', 'MISSED', 400n],
] as const)(
  'after four days without a server, each date that was missed is treated once, by %s',
  async (ifMissed, status, left) => {
    const { add, balance } = await newPlace(400n)
    const { row, run, occurrences } = await add(ifMissed)
    const first = (await row()).next_at!
    const seconds = (first.getTime() - (await row()).created_at.getTime()) / 1000 + 3.5 * DAY_SECONDS
    for (;;) {
      const { next_date: date, next_at: at } = await row()
      if (at! > addSeconds((await row()).created_at, seconds)) break
      for (let step = 0; step < 2; step++) expect(await commit(await run(date!, seconds))).toBe(true)
    }
    expect((await occurrences()).map((one) => `${one.number} ${one.status}`)).toEqual(
      [1, 2, 3, 4].map((number) => `${number} ${status}`),
    )
    expect(await balance()).toBe(left)
  },
)

test('forty schedules share an account with money for ten: ten are paid, and no other one', async () => {
  const { add, balance } = await newPlace(1000n)
  const all = await Promise.all(Array.from({ length: 40 }, () => add()))
  const seconds = 2 * DAY_SECONDS
  const runOnce = async ({ row, run }: (typeof all)[number]) => {
    const { next_date: date } = await row()
    for (let step = 0; step < 2; step++) for (;;) if (await commit(await run(date!, seconds))) break
  }
  await Promise.all(all.map(runOnce))
  const ended = (await Promise.all(all.map(({ occurrences }) => occurrences()))).flat()
  expect(ended.filter(({ status }) => status === 'SENT')).toHaveLength(10)
  expect(
    ended.filter(({ status, error }) => status === 'FAILED' && error?.code === 'INSUFFICIENT_BALANCE'),
  ).toHaveLength(30)
  expect(new Set(ended.flatMap(({ transactionId }) => transactionId ?? [])).size).toBe(10)
  expect(await balance()).toBe(0n)
})

test('a skip and a payment at the same time: one of them happens', async () => {
  const { add, balance, later } = await newPlace(1000n)
  const { row, run, occurrences } = await add()
  const { id, next_date: date } = await row()
  const seconds = 2 * DAY_SECONDS
  expect(await commit(await run(date!, seconds))).toBe(true)
  const params = { paymentScheduleId: id }
  const skip = await paymentScheduleHandlers.payment_schedule_skip(later(seconds), {
    ...NOTHING,
    params,
    body: {},
  })
  const results = await Promise.all([commit(await run(date!, seconds)), commit(skip.writes)])
  expect(results.filter(Boolean)).toHaveLength(1)
  const [first] = await occurrences()
  expect(first?.status).toBe(results[0] ? 'SENT' : 'SKIPPED')
  expect(await balance()).toBe(results[0] ? 900n : 1000n)
})
