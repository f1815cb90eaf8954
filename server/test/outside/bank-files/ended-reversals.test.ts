import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { requireValue } from '../../../src/base/formats/require-value.ts'
import { addBankingDays, findLatestEffectiveDate } from '../../../src/outside/bank-files/cut-off-times.ts'
import {
  buildPaymentStatus,
  buildStatusReport,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { isBankFilesRail } from '../../../src/outside/bank-files/rail.ts'
import { REVERSALS_PER_DAY_MAX } from '../../../src/outside/bank-files/reversal-requests.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  ACH_FORMAT,
  dieAfter,
  pauseWorkers,
  resumeWorkers,
} from '../../worlds/production/file-bank.testing.ts'
import { FUNDS, newPayingCustomer, openReversalBank, readReference, readTrace } from './ach-bank.testing.ts'

let world: Awaited<ReturnType<typeof openReversalBank>>
beforeAll(async () => {
  world = await openReversalBank({}, { PERSONAL_DATA_DAYS: '0' })
})
beforeEach(() => world.startDay())
afterAll(() => world.bank.close())

const toUuid = (id: string) => id.slice(id.indexOf(':') + 1)
const findRailEntry = () =>
  requireValue(world.bank.world.service.app.rails.list().find(isBankFilesRail), 'rail of files').entry

/** Moves the file of a payment to an earlier date. */
const backdateFile = (id: string, date: string) =>
  world.query(
    `UPDATE bank_files SET executed_on = $2 WHERE id IN
       (SELECT file_id FROM bank_payments WHERE payment_id = $1 AND kind = 'PAYMENT')`,
    [toUuid(id), date],
  )

/** Lists the recorded ends of a reversal that no report of the bank has caused. */
const listEnds = async (id: string) => {
  const { rows } = await world.query(
    `SELECT state, body->'data'->>'reason' AS reason FROM rail_events
       WHERE type = 'payment.reversal-ended' AND body->'data'->>'id' = $1`,
    [id],
  )
  return rows
}

/** Submits payments of one customer in one accepted file. */
async function submitPayments(name: string, count: number) {
  const customer = await newPayingCustomer(world.bank, name)
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const account = await customer.addAccount(String(100_200_300 + index))
    ids.push(String((await customer.send(account, 10)).body.id))
  }
  await world.waitForQueued(count)
  expect((await world.takeNextFile()).entries).toHaveLength(count)
  return { ...customer, ids }
}

/** Creates a reversal whose server dies before it has written the file. */
async function createUnwrittenReversal(account: string, amount: number) {
  const { bank, submitPayment, reverse, query, waitForDelivery } = world
  const payment = await submitPayment('send', account, amount)
  await waitForDelivery(payment.id)
  await pauseWorkers(bank.world)
  expect((await reverse(payment.id)).status).toBe(200)
  const readFileState = async () => {
    const { rows } = await query(
      `SELECT f.state FROM bank_files AS f JOIN bank_payments AS b ON b.file_id = f.id
         WHERE b.payment_id = $1 AND b.kind = 'REVERSAL'`,
      [toUuid(payment.id)],
    )
    return rows[0]?.state
  }
  // The first process claims the rail, renews its claim and opens the file. The second one claims the rail
  // and closes the file.
  await dieAfter(bank.world, 3)
  await dieAfter(bank.world, 2)
  expect(await readFileState()).toBe('WRITING')
  return payment
}

/** Lists all files in the bank's folder, including incomplete ones. */
async function listFilesAtBank() {
  const { place } = findRailEntry()
  return place.type === 'folder' ? readdir(join(place.path, place.outbox)) : []
}

test('a reversal whose file is not written in time is dropped and recorded, and the rail continues', async () => {
  const { waitForReversal, bank, waitForQueued, takeNextFile } = world
  const { id, addAccount, send } = await createUnwrittenReversal('111222333', 100)
  await backdateFile(id, '2026-01-05')
  await resumeWorkers(bank.world)
  expect((await waitForReversal(id, 'FAILED')).failure).toContain('by 2026-01-12')
  expect(await listEnds(id)).toEqual([{ state: 'APPLIED', reason: expect.stringContaining('by 2026-01-12') }])
  await send(await addAccount('111222334'), 10)
  await waitForQueued(1)
  expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^622011401533111222334/)])
  expect(await listFilesAtBank()).toEqual([])
})

test('an erasure before the file of a reversal is written drops the file and stops no other payment', async () => {
  const { waitForReversal, bank, waitForQueued, takeNextFile, get } = world
  const { id, customerId } = await createUnwrittenReversal('111222335', 1_000)
  expect((await bank.world.client.send('DELETE', `/customers/${customerId}`)).status).toBe(200)
  await bank.world.client.post(`/customers/${customerId}/erasure`)
  await until(
    () => get(`/customers/${customerId}/erasure`),
    ({ status }) => status === 'DONE',
  )
  await resumeWorkers(bank.world)
  expect((await waitForReversal(id, 'FAILED')).failure).toBe('The customer was erased')
  expect(await listEnds(id)).toEqual([{ state: 'APPLIED', reason: 'The customer was erased' }])
  const otherCustomer = await newPayingCustomer(bank, 'after-erasure')
  await otherCustomer.send(await otherCustomer.addAccount('111222336'), 10)
  await waitForQueued(1)
  expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^622011401533111222336/)])
  expect(await listFilesAtBank()).toEqual([])
})

test('an erased reversal keeps its status, and a return after the erasure restores no details', async () => {
  const {
    submitReversedPayment,
    returnEntry,
    waitForReversal,
    findReversal,
    waitForDelivery,
    bank,
    get,
    query,
  } = world
  const failedReversal = await submitReversedPayment('222333444', 1_000)
  const sentReversal = await submitReversedPayment('222333445', 1_000)
  for (const { id } of [failedReversal, sentReversal]) await waitForDelivery(id)
  await returnEntry(failedReversal.reversalEntry, 'R10')
  await waitForReversal(failedReversal.id, 'FAILED')
  for (const { customerId } of [failedReversal, sentReversal]) {
    expect((await bank.world.client.send('DELETE', `/customers/${customerId}`)).status).toBe(200)
    await bank.world.client.post(`/customers/${customerId}/erasure`)
    await until(
      () => get(`/customers/${customerId}/erasure`),
      ({ status }) => status === 'DONE',
    )
  }
  expect(await findReversal(failedReversal.id)).toMatchObject({ status: 'FAILED' })
  expect(await findReversal(sentReversal.id)).toEqual({ status: 'SENT' })
  await returnEntry(sentReversal.reversalEntry, 'R10')
  await waitForReversal(sentReversal.id, 'FAILED')
  const { rows } = await query(
    `SELECT details->>'account' AS account FROM bank_payments WHERE payment_id = ANY ($1)`,
    [[failedReversal, sentReversal].map(({ id }) => toUuid(id))],
  )
  expect(rows).toEqual(Array.from({ length: 4 }, () => ({ account: 'erased' })))
})

test('a reversal ends if the bank cancels it or its file, and it can then be requested again', async () => {
  const { bank, submitReversedPayment, reverse, takeNextFile, waitForReversal, query, findReports } = world
  const { id, reversalEntry, file } = await submitReversedPayment('333444555', 100)
  const status = buildPaymentStatus({ endToEndId: readReference(reversalEntry) }, 'CANC')
  await bank.put('cancelled.xml', buildStatusReport(file, { ofBatch: status }))
  expect((await waitForReversal(id, 'FAILED')).failure).toContain('canceled')
  expect((await reverse(id)).status).toBe(200)
  const { name } = await takeNextFile()
  const { rows } = await query('SELECT message_name FROM bank_files WHERE name = $1', [name])
  const fileStatus = buildStatusReport(String(rows[0]?.message_name), {
    ofBatch: '<PmtInfSts>CANC</PmtInfSts>',
  })
  await bank.put('cancelled-whole.xml', fileStatus)
  expect((await waitForReversal(id, 'FAILED')).failure).toContain('canceled')
  expect(await findReports(id)).toEqual([])
})

test.each([
  ['with another amount', 'R10', 90n, 'OTHER_AMOUNT'],
  ['with a code that is not a return', 'R68', 100n, 'UNREADABLE'],
] as const)(
  'a return of a reversal %s waits for a person, whose decision does not allow another reversal',
  async (_, code, amount, reason) => {
    const {
      bank,
      submitReversedPayment,
      returnEntry,
      findReports,
      findReversal,
      decide,
      reverse,
      waitForDelivery,
    } = world
    const { id, reversalEntry, customerId } = await submitReversedPayment(`44455566${amount % 7n}`, 100)
    await waitForDelivery(id)
    await returnEntry(reversalEntry, code, amount)
    const [report] = await until(
      () => findReports(id),
      (found) => found.length > 0,
    )
    expect(report).toMatchObject({ reason })
    expect(await findReversal(id)).toEqual({ status: 'SENT' })
    expect((await decide(id, { outcome: 'DELIVERED', railEventId: report.id })).status).toBe(200)
    expect(await findReversal(id)).toEqual({ status: 'SENT' })
    expect(await findReports(id)).toEqual([])
    expect(await bank.balanceOf(customerId)).toBe(FUNDS - 100n)
    const reply = await reverse(id)
    expectError(reply, { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(reply.body.details).toEqual({ reason: 'ALREADY_REQUESTED' })
  },
)

test.each(['RETURNED', 'FAILED', 'DELIVERED'] as const)(
  'the decision %s withdraws a reversal that waits for a file, and it is never sent',
  async (outcome) => {
    const { bank, submitPayment, reverse, decide, findReversal, takeNextFile, waitForQueued } = world
    const account = `44466655${outcome.length}`
    const { id, addAccount, send } = await submitPayment('send', account, 100)
    await pauseWorkers(bank.world)
    expect((await reverse(id)).status).toBe(200)
    expect((await decide(id, { outcome })).status).toBe(200)
    expect(await findReversal(id)).toMatchObject({
      status: 'FAILED',
      failure: expect.stringContaining('resolved'),
    })
    await send(await addAccount('444666550'), 10)
    await waitForQueued(1)
    await resumeWorkers(bank.world)
    expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^622011401533444666550/)])
    expect(await bank.outbox()).toEqual({})
    const reply = await reverse(id)
    if (outcome !== 'DELIVERED') return expectError(reply, { code: 'INVALID_STATE_TRANSITION' })
    expect(reply.status).toBe(200)
    expect((await takeNextFile()).entries).toEqual([expect.stringMatching(`^627011401533${account}`)])
  },
)

test('a decision and the file of a reversal exclude each other, whichever is committed first', async () => {
  const { bank, submitPayment, reverse, decide, findReversal, takeNextFile, interrupt } = world
  const [first, second] = [
    await submitPayment('send', '444777000', 100),
    await submitPayment('send', '444777001', 100),
  ]
  await pauseWorkers(bank.world)
  expect((await reverse(first.id)).status).toBe(200)
  const endDecision = interrupt(
    (table) => table === 'payment_decisions',
    async () => {
      await resumeWorkers(bank.world)
      await takeNextFile()
    },
  )
  expect((await decide(first.id, { outcome: 'DELIVERED' })).status).toBe(200)
  expect(endDecision()).toBe(true)
  expect(await findReversal(first.id)).toEqual({ status: 'SENT' })

  await pauseWorkers(bank.world)
  expect((await reverse(second.id)).status).toBe(200)
  const endFile = interrupt(
    (table) => table === 'bank_files',
    () => decide(second.id, { outcome: 'DELIVERED' }),
  )
  await resumeWorkers(bank.world)
  await world.waitForReversal(second.id, 'FAILED')
  expect(endFile()).toBe(true)
  expect(await bank.outbox()).toEqual({})
})

test('a reversal is not sent after a decision that was made while its rail was not configured', async () => {
  const { bank, submitPayment, reverse, decide, waitForReversal } = world
  const entry = findRailEntry()
  const { id } = await submitPayment('send', '444777004', 100)
  await pauseWorkers(bank.world)
  expect((await reverse(id)).status).toBe(200)
  await bank.world.setRails([])
  expect((await decide(id, { outcome: 'DELIVERED' })).status).toBe(200)
  await bank.world.setRails([entry])
  await resumeWorkers(bank.world)
  expect((await waitForReversal(id, 'FAILED')).failure).toContain('resolved')
  expect(await bank.outbox()).toEqual({})
})

test('a payment that was sent with another originator, bank or account is not reversed, and an earlier reversal is still found by its trace number', async () => {
  const { bank, submitPayment, submitReversedPayment, reverse, putStatement, findReports } = world
  const entry = findRailEntry()
  const { id } = await submitPayment('send', '444777002', 100)
  const sentReversal = await submitReversedPayment('444777003', 110)
  for (const change of [
    { originatingBank: '02100003' },
    { companyId: '1123456780' },
    { destination: '011401533' },
    { accountNumber: '1234567' },
  ]) {
    await bank.world.setRails([{ ...entry, format: { ...ACH_FORMAT, ...change } }])
    const reply = await reverse(id)
    expectError(reply, { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(reply.body.details).toEqual({ reason: 'NOT_REVERSIBLE' })
  }
  await bank.world.setRails([{ ...entry, format: { ...ACH_FORMAT, originatingBank: '02100003' } }])
  await putStatement({ amount: 110n, servicerReference: readTrace(sentReversal.reversalEntry) })
  await bank.world.setRails([entry])
  expect(await findReports(sentReversal.id)).toEqual([expect.objectContaining({ reason: 'REVERSAL' })])
})

test('payments are sent before reversals, and a daily limit on reversals leaves enough files for payments', async () => {
  const { reverse, takeNextFile, waitForQueued, findReversal, startDay, query } = world
  const { ids, addAccount, send } = await submitPayments('burst', REVERSALS_PER_DAY_MAX + 2)
  await startDay()
  await pauseWorkers(world.bank.world)
  for (const id of ids) expect((await reverse(id)).status).toBe(200)
  await send(await addAccount('555666777'), 10)
  await waitForQueued(1)
  await resumeWorkers(world.bank.world)
  expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^622011401533555666777/)])
  for (let sent = 0; sent < REVERSALS_PER_DAY_MAX; sent++)
    expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^627/)])
  await send(await addAccount('555666778'), 10)
  await waitForQueued(1)
  expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^622011401533555666778/)])
  expect(await findReversal(ids.at(-1) ?? '')).toEqual({ status: 'WAITING' })
  const waitingReversals = await query(
    `SELECT id FROM bank_payments WHERE kind = 'REVERSAL' AND file_id IS NULL AND NOT details ? 'failure'`,
  )
  expect(waitingReversals.rows).toHaveLength(2)
  await startDay()
  for (const id of ids.slice(-2)) {
    await takeNextFile()
    expect(await findReversal(id)).toEqual({ status: 'SENT' })
  }
})

test('reversal requests beyond the capacity of the remaining days are refused, even if they are made in parallel', async () => {
  const { reverse, bank } = world
  const { clock } = bank.world.service.app
  const entry = findRailEntry()
  // On these days each file has a later date than the previous day's file, except on holidays.
  const days = ['MON', 'TUE', 'WED', 'THU', 'FRI']
  const entryWithHours = { ...entry, hours: { timeZone: 'UTC', days, opensAt: '00:00', cutOff: '23:59' } }
  const { ids } = await submitPayments('too-many', 3 * REVERSALS_PER_DAY_MAX)
  await bank.world.setRails([entryWithHours])
  const railEntry = findRailEntry()
  const now = clock()
  const lastDate = findLatestEffectiveDate(railEntry, now, 0)
  let paidOn = now
  const toDate = (at: Date) => at.toISOString().slice(0, 10)
  while (addBankingDays(railEntry, toDate(paidOn), 5) > lastDate)
    paidOn = new Date(paidOn.getTime() - 86_400_000)
  for (const id of ids) await backdateFile(id, toDate(paidOn))
  await pauseWorkers(bank.world)
  const replies = await Promise.all(ids.map((id) => reverse(id)))
  const daysThatFit = [0, 1, 2].filter(
    (later) => findLatestEffectiveDate(railEntry, now, later) <= lastDate,
  ).length
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(daysThatFit * REVERSALS_PER_DAY_MAX)
  const refusals = replies.filter(({ status }) => status !== 200)
  expect(refusals.length).toBeGreaterThan(0)
  for (const reply of refusals) {
    expectError(reply, { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(reply.body.details).toEqual({ reason: 'TOO_MANY' })
  }
  await bank.world.setRails([entry])
  await resumeWorkers(bank.world)
})
