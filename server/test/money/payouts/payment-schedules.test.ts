import { describe, expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import {
  advanceToNext,
  balanceOf,
  buildDailySchedule,
  change,
  listScheduleOccurrences,
  newPayingPlatform,
  readSchedule,
  schedule,
  usAccount,
  waitingSchedule,
} from '../../worlds/records/payouts.testing.ts'

const DAY_SECONDS = 24 * 3600

const listEvents = async (
  client: Client,
  id: string,
): Promise<{ type: string; data: Record<string, unknown> }[]> => client.events(`&objectId=${id}`)

const listEventTypes = async (client: Client, id: string) =>
  (await listEvents(client, id)).map(({ type }) => type)

async function newSchedule(more: object = {}, amount?: number) {
  const { client, ...paying } = await newPayingPlatform(amount)
  const created = await schedule(client, buildDailySchedule(paying, more))
  return { client, paying, created, id: String(created.id) }
}

describe('a payment schedule', () => {
  test('announces each payment by its notice, and then pays it as a transfer out', async () => {
    const { client, paying, created, id } = await newSchedule({ remittanceInformation: 'Rent May' })
    expect(created).toMatchObject({
      status: 'ACTIVE',
      name: 'Rent',
      payee: { name: 'Ada Lovelace', account: 'USD account •••• 0789' },
      amount: { amount: 100, currency: { code: 'USD' } },
      rule: { type: 'DAILY' },
      businessDays: 'NONE',
      calendar: 'FEDERAL_RESERVE',
      ifMissed: 'PAY',
      skippedDates: [],
    })
    expect(created.upcoming).toHaveLength(5)
    const date = await advanceToNext(client, id, -4200)
    expect(await listEvents(client, id)).toEqual([])
    await advanceToNext(client, id, -3599)
    expect(await listEvents(client, id)).toMatchObject([
      {
        type: 'PAYMENT_SCHEDULE.UPCOMING',
        data: { paymentScheduleId: id, status: 'UPCOMING', number: 1, date },
      },
    ])
    expect(await balanceOf(client)).toBe(1_000_000)
    await advanceToNext(client, id)
    const [paid] = await listScheduleOccurrences(client, id)
    expect(paid).toMatchObject({ status: 'SENT', number: 1, date, paysAt: `${date}T12:00:00.000Z` })
    expect(await balanceOf(client)).toBe(1_000_000 - 100)
    const { body: transaction } = await client.get(`/transactions/${paid.transactionId}`)
    const { body: transfer } = await client.post('/transfer-out', {
      source: { accountId: paying.own },
      destination: { accountId: paying.payee },
      amount: 100,
      remittanceInformation: 'Rent May',
    })
    const { body: singleTransaction } = await client.get(`/transactions/${transfer.id}`)
    const omitVolatileFields = ({
      id: _i,
      createdAt: _c,
      updatedAt: _u,
      settledAt: _s,
      status: _t,
      reconciliationInstructions: _r,
      ...rest
    }: Record<string, unknown>) => rest
    expect(omitVolatileFields(transaction)).toEqual(omitVolatileFields(singleTransaction))
    const events = await listEvents(client, id)
    expect(events.map(({ type }) => type)).toEqual(['PAYMENT_SCHEDULE.UPCOMING', 'PAYMENT_SCHEDULE.SENT'])
    expect(events[1]?.data).toEqual(paid)
    await client.advance(3 * DAY_SECONDS)
    expect(await listScheduleOccurrences(client, id)).toMatchObject(
      [1, 2, 3, 4].map((number) => ({ number, status: 'SENT' })),
    )
  })

  test('ends after its count, and after its end date', async () => {
    const { client, paying, id } = await newSchedule({ count: 2 })
    const endDate = (await readSchedule(client, id)).upcoming[1].date
    const untilDate = await schedule(client, buildDailySchedule(paying, { endDate }))
    const once = await schedule(client, buildDailySchedule(paying, { rule: { type: 'ONCE', date: endDate } }))
    expect(untilDate.upcoming.map(({ date }: { date: string }) => date)).toHaveLength(2)
    await client.advance(5 * DAY_SECONDS)
    for (const [scheduleId, payments] of [
      [id, 2],
      [untilDate.id, 2],
      [once.id, 1],
    ] as const) {
      expect(await readSchedule(client, scheduleId)).toMatchObject({
        status: 'ENDED',
        upcoming: [],
        endedAt: expect.any(String),
      })
      expect(await listScheduleOccurrences(client, scheduleId)).toHaveLength(payments)
    }
    expect(await balanceOf(client)).toBe(1_000_000 - 500)
  })

  test("pays on the last business day of each month in the payee's calendar", async () => {
    const { client, created } = await newSchedule({
      rule: { type: 'MONTHLY', day: 31 },
      businessDays: 'PRECEDING',
      startDate: '2032-01-01',
      time: '17:30',
      timeZone: undefined,
    })
    expect(created).toMatchObject({ calendar: 'FEDERAL_RESERVE', timeZone: 'America/New_York' })
    // 31 May 2032 is Memorial Day, a Monday.
    expect(
      created.upcoming.map(({ date, paysAt }: { date: string; paysAt: string }) => `${date} ${paysAt}`),
    ).toEqual([
      '2032-01-30 2032-01-30T22:30:00.000Z',
      '2032-02-27 2032-02-27T22:30:00.000Z',
      '2032-03-31 2032-03-31T21:30:00.000Z',
      '2032-04-30 2032-04-30T21:30:00.000Z',
      '2032-05-28 2032-05-28T21:30:00.000Z',
    ])
    await client.get('/overview')
  })

  test('fails a payment without money with the reason, and still makes the next one', async () => {
    const { client, paying, id } = await newSchedule({}, 50)
    const date = await advanceToNext(client, id)
    const [failed] = await listScheduleOccurrences(client, id)
    expect(failed).toMatchObject({
      status: 'FAILED',
      date,
      error: { code: 'INSUFFICIENT_BALANCE', field: 'amount' },
    })
    expect(failed.transactionId).toBeUndefined()
    expect(await listEventTypes(client, id)).toEqual(['PAYMENT_SCHEDULE.UPCOMING', 'PAYMENT_SCHEDULE.FAILED'])
    await fund(client, paying.own, 1000)
    await client.advance(3600)
    expect(await balanceOf(client)).toBe(1050)
    await advanceToNext(client, id)
    expect((await listScheduleOccurrences(client, id)).map(({ status }) => status)).toEqual([
      'FAILED',
      'SENT',
    ])
    expect(await balanceOf(client)).toBe(950)
  })

  test('fails payments to a removed payee with the error code of a transfer out', async () => {
    const { client, paying, id } = await newSchedule()
    await client.send('DELETE', `/platform/external-accounts/${paying.payee}`)
    await advanceToNext(client, id)
    expect(await listScheduleOccurrences(client, id)).toMatchObject([
      {
        status: 'FAILED',
        error: { code: 'ACCOUNT_NOT_FOUND', field: 'accountId' },
        payee: { name: 'Ada Lovelace' },
      },
    ])
    expect((await readSchedule(client, id)).status).toBe('ACTIVE')
  })

  test('refuses everything that a transfer out refuses, and rules without a date', async () => {
    const { client, paying } = await newSchedule()
    const otherPlatform = await newPayingPlatform()
    const customer = await newCustomer(client)
    const customerBank = await newBankAccount(client, customer.id)
    const wallet = { accountId: customer.wallet }
    const refusals: readonly (readonly [object, string, string])[] = [
      [{ source: wallet, destination: { accountId: customerBank } }, 'INVALID_INPUT', 'source.accountId'],
      [{ source: { accountId: otherPlatform.own } }, 'ACCOUNT_NOT_FOUND', 'source.accountId'],
      [{ destination: { accountId: otherPlatform.payee } }, 'ACCOUNT_NOT_FOUND', 'destination.accountId'],
      [{ destination: { accountId: customerBank } }, 'ACCOUNT_NOT_FOUND', 'destination.accountId'],
      [
        { destination: { accountId: paying.payee, paymentRail: 'SEPA' } },
        'INVALID_INPUT',
        'destination.paymentRail',
      ],
      [{ amount: 0 }, 'INVALID_INPUT', 'amount'],
      [{ amount: 99_999_999_999_999n }, 'AMOUNT_OUT_OF_RANGE', 'amount'],
      [{ rule: { type: 'ONCE', date: '2020-01-01' } }, 'INVALID_INPUT', 'rule'],
      [{ rule: { type: 'ONCE', date: '2999-01-01' } }, 'INVALID_INPUT', 'rule'],
      [{ rule: { type: 'ONCE', date: '2030-01-01' }, count: 2 }, 'INVALID_INPUT', 'count'],
      [{ rule: { type: 'WEEKLY', weekdays: [] } }, 'INVALID_INPUT', 'rule.weekdays'],
      [{ rule: { type: 'MONTHLY', day: 32 } }, 'INVALID_INPUT', 'rule.day'],
      [{ endDate: '2020-01-01' }, 'INVALID_INPUT', 'rule'],
      [{ timeZone: 'Europe/Nowhere' }, 'INVALID_INPUT', 'timeZone'],
    ]
    for (const [more, code, field] of refusals)
      expectError(await client.post('/payment-schedules', buildDailySchedule(paying, more)), {
        code,
        field,
        what: JSON.stringify({ ...more, amount: undefined }),
      } as Parameters<typeof expectError>[1])
    expect((await client.get('/payment-schedules')).body.totalCount).toBe(1)
  })
})

describe('an announced payment', () => {
  test('is not made if it is skipped, and the others are', async () => {
    const { client, id } = await newSchedule()
    const date = await advanceToNext(client, id, -60)
    expect(await listScheduleOccurrences(client, id)).toMatchObject([{ status: 'UPCOMING', date }])
    const skipped = await change(client, id, 'skip')
    expect(skipped.status).toBe(200)
    expect(skipped.body.upcoming[0].date).not.toBe(date)
    const skippedDate = skipped.body.upcoming[1].date
    expect((await change(client, id, 'skip', { date: skippedDate })).body).toMatchObject({
      skippedDates: [skippedDate],
    })
    await client.advance(3 * DAY_SECONDS)
    expect(
      (await listScheduleOccurrences(client, id)).map(({ number, status }) => `${number} ${status}`),
    ).toEqual(['1 SKIPPED', '2 SENT', '3 SKIPPED', '4 UPCOMING'])
    expect(await balanceOf(client)).toBe(1_000_000 - 100)
    for (const decided of [date, skippedDate])
      expectError(await change(client, id, 'skip', { date: decided }), {
        code: 'INVALID_STATE_TRANSITION',
        field: 'date',
      })
    expectError(await change(client, id, 'skip', { date: '2020-01-01' }), {
      code: 'INVALID_INPUT',
      field: 'date',
    })
    expectError(await change(client, id, 'skip', { date: '2199-01-01' }), {
      code: 'INVALID_INPUT',
      field: 'date',
    })
  })

  test('is not made during a pause or later, and a pause that ends before its time changes nothing', async () => {
    const { client, id } = await newSchedule()
    await advanceToNext(client, id, -60)
    expect((await change(client, id, 'pause')).body).toMatchObject({ status: 'PAUSED', upcoming: [] })
    expectError(await change(client, id, 'pause'), { code: 'INVALID_STATE_TRANSITION' })
    expect((await change(client, id, 'resume')).body).toMatchObject({ status: 'ACTIVE' })
    await advanceToNext(client, id)
    expect(await listScheduleOccurrences(client, id)).toMatchObject([{ status: 'SENT' }])
    expect(await listEventTypes(client, id)).toEqual(['PAYMENT_SCHEDULE.UPCOMING', 'PAYMENT_SCHEDULE.SENT'])
    await advanceToNext(client, id, -60)
    await change(client, id, 'pause')
    await client.advance(10 * DAY_SECONDS + 7200)
    expect(await balanceOf(client)).toBe(1_000_000 - 100)
    await change(client, id, 'resume')
    await client.advance(0)
    expect((await listScheduleOccurrences(client, id)).map(({ status }) => status)).toEqual([
      'SENT',
      'SKIPPED',
    ])
    await advanceToNext(client, id)
    expect(
      (await listScheduleOccurrences(client, id)).map(({ number, status }) => `${number} ${status}`),
    ).toEqual(['1 SENT', '2 SKIPPED', '3 SENT'])
    expect(await balanceOf(client)).toBe(1_000_000 - 200)
  })

  test('that was skipped is not made after a pause, and neither is a later skipped one', async () => {
    const { client, id, created } = await newSchedule()
    const [first, second, third] = created.upcoming
    await change(client, id, 'skip')
    await change(client, id, 'skip', { date: second.date })
    await change(client, id, 'pause')
    const resumed = (await change(client, id, 'resume')).body
    expect(resumed.upcoming[0]).toEqual(third)
    await advanceToNext(client, id)
    expect(await listScheduleOccurrences(client, id)).toMatchObject([
      { number: 1, status: 'SKIPPED', date: first.date },
      { number: 2, status: 'SKIPPED', date: second.date },
      { number: 3, status: 'SENT', date: third.date },
    ])
    expect(await balanceOf(client)).toBe(1_000_000 - 100)
  })

  test('is not made if the schedule is canceled', async () => {
    const { client, id } = await newSchedule()
    await advanceToNext(client, id, -60)
    expect((await change(client, id, 'cancel')).body).toMatchObject({
      status: 'CANCELED',
      endedAt: expect.any(String),
    })
    await client.advance(3 * DAY_SECONDS)
    expect(await listScheduleOccurrences(client, id)).toMatchObject([{ status: 'SKIPPED' }])
    expect(await balanceOf(client)).toBe(1_000_000)
    for (const what of ['pause', 'resume', 'skip', 'cancel'])
      expectError(await change(client, id, what), { code: 'INVALID_STATE_TRANSITION', what })
  })
})

describe('a schedule that has to be approved', () => {
  test('by two members pays nothing before the second vote, and is shown among the approvals', async () => {
    const { client, ...paying } = await newPayingPlatform()
    const { id } = await waitingSchedule(client, buildDailySchedule(paying))
    const members = await Promise.all([1, 2].map(() => newMember(client, ['VIEW', 'APPROVE'])))
    const [first, second] = members.map(({ browser }) => browser)
    await client.advance(2 * DAY_SECONDS)
    expect(await balanceOf(client)).toBe(1_000_000)
    expectError(await change(client, id, 'approve'), { code: 'FORBIDDEN' })
    for (let vote = 0; vote < 2; vote++)
      expect((await change(first!, id, 'approve')).body).toMatchObject({ status: 'AWAITING_APPROVAL' })
    expect((await client.get('/approvals')).body.data).toMatchObject([
      {
        kind: 'PAYMENT_SCHEDULE',
        objectId: id,
        payee: { name: 'Ada Lovelace' },
        amount: { amount: 100 },
        policy: {
          words: expect.stringMatching(
            /^Rent: Daily, at 12:00 UTC, from \d{4}-\d\d-\d\d\. The platform requires/,
          ),
        },
        votes: [{ memberName: 'Grace Hopper' }],
        votesRequired: 2,
      },
    ])
    expect((await client.get('/overview')).body.waiting.approvals).toBe(1)
    const active = (await change(second!, id, 'approve')).body
    expect(active.status).toBe('ACTIVE')
    expect((await client.get('/approvals')).body.data).toEqual([])
    await advanceToNext(client, id)
    expect(await listScheduleOccurrences(client, id)).toMatchObject([
      { number: 1, status: 'SENT', date: active.upcoming[0].date },
    ])
    expect(await balanceOf(client)).toBe(1_000_000 - 100)
  })

  test('at the request of its creator pays nothing before somebody with APPROVE approves it', async () => {
    const { client, ...paying } = await newPayingPlatform()
    const created = await schedule(client, buildDailySchedule(paying, { needsApproval: true }))
    expect(created.status).toBe('AWAITING_APPROVAL')
    await client.advance(2 * DAY_SECONDS)
    expect(await balanceOf(client)).toBe(1_000_000)
    expect((await change(client, created.id, 'approve')).body.status).toBe('ACTIVE')
    await advanceToNext(client, created.id)
    expect(await balanceOf(client)).toBe(1_000_000 - 100)
  })

  test('can be canceled, and cannot be approved once its dates have passed', async () => {
    const { client, ...paying } = await newPayingPlatform()
    const { id } = await waitingSchedule(
      client,
      buildDailySchedule(paying, { rule: { type: 'DAILY' }, count: 1 }),
    )
    const [missedDate] = (await readSchedule(client, id)).upcoming
    const once = await schedule(
      client,
      buildDailySchedule(paying, { rule: { type: 'ONCE', date: missedDate.date } }),
    )
    expect((await change(client, id, 'cancel')).body.status).toBe('CANCELED')
    await client.advance(2 * DAY_SECONDS)
    const { browser } = await newMember(client, ['VIEW', 'APPROVE'])
    expectError(await change(browser, once.id, 'approve'), { code: 'INVALID_STATE_TRANSITION' })
    expectError(await change(browser, id, 'approve'), { code: 'INVALID_STATE_TRANSITION' })
  })
})

describe('the schedules of a customer', () => {
  test("pay from the customer's account, and end when the customer is deleted", async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    const added = await client.post('/customers/external-accounts', {
      customerId: customer.id,
      currency: 'USD',
      accountInfo: usAccount('888000789'),
    })
    await fund(client, customer.usd, 100)
    const paying = { own: customer.usd, payee: String(added.body.id) }
    const { id } = await schedule(client, buildDailySchedule(paying))
    const paused = await schedule(client, buildDailySchedule(paying))
    await change(client, paused.id, 'pause')
    await advanceToNext(client, id)
    expect(await listScheduleOccurrences(client, id)).toMatchObject([{ status: 'SENT' }])
    await advanceToNext(client, id, -60)
    const query = `customerId=${customer.id}`
    expect((await client.get(`/payment-schedules?${query}`)).body.totalCount).toBe(2)
    expect(
      (await client.get('/payment-schedules?status=PAUSED')).body.data.map((one: { id: string }) => one.id),
    ).toEqual([paused.id])
    const deleted = await client.send('DELETE', `/customers/${customer.id}`)
    expect(deleted.status, JSON.stringify(deleted.body)).toBe(200)
    for (const scheduleId of [id, paused.id])
      expect((await readSchedule(client, scheduleId)).status).toBe('ENDED')
    await client.advance(2 * DAY_SECONDS)
    expect((await listScheduleOccurrences(client, id)).map(({ status }) => status)).toEqual([
      'SENT',
      'SKIPPED',
    ])
  })
})
