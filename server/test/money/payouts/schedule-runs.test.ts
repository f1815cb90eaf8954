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

/** The jobs of schedules run one by one here, because no server takes them. */

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

/** Creates a platform with this amount in its dollar account, a payee, and functions that run its schedules. */
async function newScheduleWorld(amount: bigint) {
  const op = await service.newOp()
  const accountInfo = usAccount('777000789') as never
  const payee = await externalAccountHandlers.platform_external_account_create(op, {
    ...NOTHING,
    body: { currency: 'USD', accountInfo },
  })
  expect(await commit(payee.writes)).toBe(true)
  const accountId = (await findPlatformAccount(op, 'USD'))!.id
  const params = { accountId }
  const funded = await sandboxHandlers.sandbox_account_fund(op, { ...NOTHING, params, body: { amount } })
  expect(await commit(funded.writes)).toBe(true)
  /** An operation of another process, `seconds` later. */
  const opAfter = (seconds: number): Op => ({
    ...createOp(service.app, op.platform, { kind: 'job', jobId: 'test' }),
    now: addSeconds(op.now, seconds),
  })
  return {
    opAfter,
    readBalance: async () =>
      (await findPlatformAccount(opAfter(0), 'USD'))!.posted -
      (await findPlatformAccount(opAfter(0), 'USD'))!.held,
    addSchedule: async (ifMissed: 'PAY' | 'SKIP' = 'PAY') => {
      const created = await paymentScheduleHandlers.payment_schedule_create(opAfter(0), {
        ...NOTHING,
        body: {
          source: { accountId },
          destination: { accountId: payee.body.id },
          amount: 100n,
          rule: { type: 'DAILY' },
          timeZone: 'UTC',
          ifMissed,
        },
      })
      expect(await commit(created.writes)).toBe(true)
      return toSchedule(created.body.id, opAfter)
    },
  }
}

function toSchedule(id: string, opAfter: (seconds: number) => Op) {
  return {
    readRow: () => findSchedule(opAfter(0), id),
    /** The write set of a run for a date, `seconds` after the creation. */
    run: (date: string, seconds: number) =>
      JOB_HANDLERS['payment-schedule.run'](opAfter(seconds), { scheduleId: id, date }),
    listOccurrences: async () => {
      const params = { paymentScheduleId: id }
      const { body } = await paymentScheduleHandlers.payment_occurrence_list(opAfter(0), {
        ...NOTHING,
        params,
        query: { limit: 100 },
      })
      return body.data.reverse()
    },
  }
}

test('one of fifty parallel runs announces a date, one pays it, and an aborted run leaves nothing', async () => {
  const { addSchedule, readBalance } = await newScheduleWorld(1000n)
  const { readRow, run, listOccurrences } = await addSchedule()
  for (let number = 1; number <= 3; number++) {
    const date = (await readRow()).next_date!
    for (const state of ['UPCOMING', 'SENT']) {
      // This run dies before its commit.
      await run(date, (number + 1) * DAY_SECONDS)
      const runs = await Promise.all(Array.from({ length: 50 }, () => run(date, (number + 1) * DAY_SECONDS)))
      const results = await Promise.all(runs.map(commit))
      expect(results.filter(Boolean)).toHaveLength(1)
      expect((await listOccurrences()).at(-1)).toMatchObject({ number, date, status: state })
    }
    // A leftover job for a past date does nothing.
    expect(await run(date, 10 * DAY_SECONDS)).toEqual([])
    expect(await readBalance()).toBe(1000n - 100n * BigInt(number))
  }
  expect(await listOccurrences()).toHaveLength(3)
})

test.each([
  ['PAY', 'SENT', 0n],
  ['SKIP', 'MISSED', 400n],
] as const)(
  'each date that was missed in four days without a server is handled once by the rule %s',
  async (ifMissed, status, expectedBalance) => {
    const { addSchedule, readBalance } = await newScheduleWorld(400n)
    const { readRow, run, listOccurrences } = await addSchedule(ifMissed)
    const first = (await readRow()).next_at!
    const seconds = (first.getTime() - (await readRow()).created_at.getTime()) / 1000 + 3.5 * DAY_SECONDS
    for (;;) {
      const { next_date: date, next_at: at } = await readRow()
      if (at! > addSeconds((await readRow()).created_at, seconds)) break
      for (let step = 0; step < 2; step++) expect(await commit(await run(date!, seconds))).toBe(true)
    }
    expect((await listOccurrences()).map((one) => `${one.number} ${one.status}`)).toEqual(
      [1, 2, 3, 4].map((number) => `${number} ${status}`),
    )
    expect(await readBalance()).toBe(expectedBalance)
  },
)

test('of forty schedules on an account with money for ten, exactly ten are paid', async () => {
  const { addSchedule, readBalance } = await newScheduleWorld(1000n)
  const schedules = await Promise.all(Array.from({ length: 40 }, () => addSchedule()))
  const seconds = 2 * DAY_SECONDS
  const runOnce = async ({ readRow, run }: (typeof schedules)[number]) => {
    const { next_date: date } = await readRow()
    for (let step = 0; step < 2; step++) for (;;) if (await commit(await run(date!, seconds))) break
  }
  await Promise.all(schedules.map(runOnce))
  const outcomes = (await Promise.all(schedules.map(({ listOccurrences }) => listOccurrences()))).flat()
  expect(outcomes.filter(({ status }) => status === 'SENT')).toHaveLength(10)
  expect(
    outcomes.filter(({ status, error }) => status === 'FAILED' && error?.code === 'INSUFFICIENT_BALANCE'),
  ).toHaveLength(30)
  expect(new Set(outcomes.flatMap(({ transactionId }) => transactionId ?? [])).size).toBe(10)
  expect(await readBalance()).toBe(0n)
})

test('only one of a concurrent skip and payment of a date takes effect', async () => {
  const { addSchedule, readBalance, opAfter } = await newScheduleWorld(1000n)
  const { readRow, run, listOccurrences } = await addSchedule()
  const { id, next_date: date } = await readRow()
  const seconds = 2 * DAY_SECONDS
  expect(await commit(await run(date!, seconds))).toBe(true)
  const params = { paymentScheduleId: id }
  const skip = await paymentScheduleHandlers.payment_schedule_skip(opAfter(seconds), {
    ...NOTHING,
    params,
    body: {},
  })
  const results = await Promise.all([commit(await run(date!, seconds)), commit(skip.writes)])
  expect(results.filter(Boolean)).toHaveLength(1)
  const [first] = await listOccurrences()
  expect(first?.status).toBe(results[0] ? 'SENT' : 'SKIPPED')
  expect(await readBalance()).toBe(results[0] ? 900n : 1000n)
})
