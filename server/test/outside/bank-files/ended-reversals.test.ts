import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { requireValue } from '../../../src/base/formats/require-value.ts'
import { addBankingDays, findLatestEffectiveDate } from '../../../src/outside/bank-files/cut-off-times.ts'
import { isBankFilesRail } from '../../../src/outside/bank-files/rail.ts'
import { REVERSALS_PER_DAY_MAX } from '../../../src/outside/bank-files/reversal-requests.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { statusFile } from '../../worlds/production/direct-debits.testing.ts'
import {
  ACH_FORMAT,
  dieAfter,
  pauseWorkers,
  resumeWorkers,
} from '../../worlds/production/file-bank.testing.ts'
import { payingCustomer } from './ach-bank.testing.ts'
import { FUNDS, openReversalBank, referenceIn, traceIn } from './reversals.testing.ts'

let world: Awaited<ReturnType<typeof openReversalBank>>
beforeAll(async () => {
  world = await openReversalBank({}, { PERSONAL_DATA_DAYS: '0' })
})
beforeEach(() => world.startDay())
afterAll(() => world.bank.close())

const uuidOf = (id: string) => id.slice(id.indexOf(':') + 1)
const entryOfRail = () =>
  requireValue(world.bank.world.service.app.rails.list().find(isBankFilesRail), 'rail of files').entry

/** Makes the payment of a transaction one of an earlier file. */
const dateFile = (id: string, date: string) =>
  world.query(
    `UPDATE bank_files SET executed_on = $2 WHERE id IN
       (SELECT file_id FROM bank_payments WHERE payment_id = $1 AND kind = 'PAYMENT')`,
    [uuidOf(id), date],
  )

/** The recorded ends of a reversal of which no bank has said anything. */
const endsOf = async (id: string) => {
  const { rows } = await world.query(
    `SELECT state, body->'data'->>'reason' AS reason FROM rail_events
       WHERE type = 'payment.reversal-ended' AND body->'data'->>'id' = $1`,
    [id],
  )
  return rows
}

/** Payments of one customer in one accepted file. */
async function manyCarried(name: string, count: number) {
  const customer = await payingCustomer(world.bank, name)
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const account = await customer.accountOf(String(100_200_300 + index))
    ids.push(String((await customer.send(account, 10)).body.id))
  }
  await world.waitForQueued(count)
  expect((await world.nextFile()).entries).toHaveLength(count)
  return { ...customer, ids }
}

/** A reversal in a file that is not written yet, of a server that has died. */
async function unwritten(account: string, amount: number) {
  const { bank, carried, reverse, query, passDays } = world
  const payment = await carried('send', account, amount)
  await passDays(payment.id)
  await pauseWorkers(bank.world)
  expect((await reverse(payment.id)).status).toBe(200)
  const stateOfFile = async () => {
    const { rows } = await query(
      `SELECT f.state FROM bank_files AS f JOIN bank_payments AS b ON b.file_id = f.id
         WHERE b.payment_id = $1 AND b.kind = 'REVERSAL'`,
      [uuidOf(payment.id)],
    )
    return rows[0]?.state
  }
  // Claims the rail, renews its claim and opens the file; then claims it again and closes the file.
  await dieAfter(bank.world, 3)
  await dieAfter(bank.world, 2)
  expect(await stateOfFile()).toBe('WRITING')
  return payment
}

/** Everything that is in the bank's folder, also what is not complete. */
async function filesAtBank() {
  const { place } = entryOfRail()
  return place.type === 'folder' ? readdir(join(place.path, place.outbox)) : []
}

test('a reversal whose file was not written in time is dropped with its file, which is recorded, and the rail continues', async () => {
  const { reversalIs, bank, waitForQueued, nextFile } = world
  const { id, accountOf, send } = await unwritten('111222333', 100)
  await dateFile(id, '2026-01-05')
  await resumeWorkers(bank.world)
  expect((await reversalIs(id, 'FAILED')).failure).toContain('by 2026-01-12')
  expect(await endsOf(id)).toEqual([{ state: 'APPLIED', reason: expect.stringContaining('by 2026-01-12') }])
  await send(await accountOf('111222334'), 10)
  await waitForQueued(1)
  expect((await nextFile()).entries).toEqual([expect.stringMatching(/^622011401533111222334/)])
  expect(await filesAtBank()).toEqual([])
})

test('an erasure while the file of a reversal is not written drops the file and stops no other payment', async () => {
  const { reversalIs, bank, waitForQueued, nextFile, get } = world
  const { id, customerId } = await unwritten('111222335', 1_000)
  expect((await bank.world.client.send('DELETE', `/customers/${customerId}`)).status).toBe(200)
  await bank.world.client.post(`/customers/${customerId}/erasure`)
  await until(
    () => get(`/customers/${customerId}/erasure`),
    ({ status }) => status === 'DONE',
  )
  await resumeWorkers(bank.world)
  expect((await reversalIs(id, 'FAILED')).failure).toBe('The customer was erased')
  expect(await endsOf(id)).toEqual([{ state: 'APPLIED', reason: 'The customer was erased' }])
  const other = await payingCustomer(bank, 'after-erasure')
  await other.send(await other.accountOf('111222336'), 10)
  await waitForQueued(1)
  expect((await nextFile()).entries).toEqual([expect.stringMatching(/^622011401533111222336/)])
  expect(await filesAtBank()).toEqual([])
})

test('an erased reversal keeps its end, and one that the bank rejects after the erasure gets no details back', async () => {
  const { reversed, giveBack, reversalIs, reversalOf, passDays, bank, get, query } = world
  const failed = await reversed('222333444', 1_000)
  const sent = await reversed('222333445', 1_000)
  for (const { id } of [failed, sent]) await passDays(id)
  await giveBack(failed.back, 'R10')
  await reversalIs(failed.id, 'FAILED')
  for (const { customerId } of [failed, sent]) {
    expect((await bank.world.client.send('DELETE', `/customers/${customerId}`)).status).toBe(200)
    await bank.world.client.post(`/customers/${customerId}/erasure`)
    await until(
      () => get(`/customers/${customerId}/erasure`),
      ({ status }) => status === 'DONE',
    )
  }
  expect(await reversalOf(failed.id)).toMatchObject({ status: 'FAILED' })
  expect(await reversalOf(sent.id)).toEqual({ status: 'SENT' })
  await giveBack(sent.back, 'R10')
  await reversalIs(sent.id, 'FAILED')
  const { rows } = await query(
    `SELECT details->>'account' AS account FROM bank_payments WHERE payment_id = ANY ($1)`,
    [[failed, sent].map(({ id }) => uuidOf(id))],
  )
  expect(rows).toEqual(Array.from({ length: 4 }, () => ({ account: 'erased' })))
})

test('a bank that cancels a reversal or its file has ended it, and another request may follow', async () => {
  const { bank, reversed, reverse, nextFile, reversalIs, query, reportsWith } = world
  const { id, back, file } = await reversed('333444555', 100)
  const status = `<TxInfAndSts><OrgnlEndToEndId>${referenceIn(back)}</OrgnlEndToEndId><TxSts>CANC</TxSts></TxInfAndSts>`
  await bank.put('cancelled.xml', statusFile(file, status))
  expect((await reversalIs(id, 'FAILED')).failure).toContain('canceled')
  expect((await reverse(id)).status).toBe(200)
  const { name } = await nextFile()
  const { rows } = await query('SELECT message_name FROM bank_files WHERE name = $1', [name])
  const whole = statusFile(String(rows[0]?.message_name), '<PmtInfSts>CANC</PmtInfSts>')
  await bank.put('cancelled-whole.xml', whole)
  expect((await reversalIs(id, 'FAILED')).failure).toContain('canceled')
  expect(await reportsWith(id)).toEqual([])
})

test.each([
  ['of another amount', 'R10', 90n, 'OTHER_AMOUNT'],
  ['with a code that returns nothing', 'R68', 100n, 'UNREADABLE'],
] as const)(
  'a return of a reversal %s waits, and neither a decision about it nor its end allows another reversal',
  async (_, code, amount, reason) => {
    const { bank, reversed, giveBack, reportsWith, reversalOf, decide, reverse, passDays } = world
    const { id, back, customerId } = await reversed(`44455566${amount % 7n}`, 100)
    await passDays(id)
    await giveBack(back, code, amount)
    const [report] = await until(
      () => reportsWith(id),
      (found) => found.length > 0,
    )
    expect(report).toMatchObject({ reason })
    expect(await reversalOf(id)).toEqual({ status: 'SENT' })
    expect((await decide(id, { outcome: 'DELIVERED', railEventId: report.id })).status).toBe(200)
    expect(await reversalOf(id)).toEqual({ status: 'SENT' })
    expect(await reportsWith(id)).toEqual([])
    expect(await bank.balanceOf(customerId)).toBe(FUNDS - 100n)
    const again = await reverse(id)
    expectError(again, { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(again.body.details).toEqual({ reason: 'ALREADY_REQUESTED' })
  },
)

test.each(['RETURNED', 'FAILED', 'DELIVERED'] as const)(
  'a decision %s withdraws a reversal that waits for a file, which is never sent',
  async (outcome) => {
    const { bank, carried, reverse, decide, reversalOf, nextFile, waitForQueued } = world
    const account = `44466655${outcome.length}`
    const { id, accountOf, send } = await carried('send', account, 100)
    await pauseWorkers(bank.world)
    expect((await reverse(id)).status).toBe(200)
    expect((await decide(id, { outcome })).status).toBe(200)
    expect(await reversalOf(id)).toMatchObject({
      status: 'FAILED',
      failure: expect.stringContaining('decided'),
    })
    await send(await accountOf('444666550'), 10)
    await waitForQueued(1)
    await resumeWorkers(bank.world)
    expect((await nextFile()).entries).toEqual([expect.stringMatching(/^622011401533444666550/)])
    expect(await bank.outbox()).toEqual({})
    const again = await reverse(id)
    if (outcome !== 'DELIVERED') return expectError(again, { code: 'INVALID_STATE_TRANSITION' })
    expect(again.status).toBe(200)
    expect((await nextFile()).entries).toEqual([expect.stringMatching(`^627011401533${account}`)])
  },
)

test('a decision and the file of a reversal exclude each other, whichever is committed first', async () => {
  const { bank, carried, reverse, decide, reversalOf, nextFile, interrupt } = world
  const [one, other] = [await carried('send', '444777000', 100), await carried('send', '444777001', 100)]
  await pauseWorkers(bank.world)
  expect((await reverse(one.id)).status).toBe(200)
  const endDecision = interrupt(
    (table) => table === 'payment_decisions',
    async () => {
      await resumeWorkers(bank.world)
      await nextFile()
    },
  )
  expect((await decide(one.id, { outcome: 'DELIVERED' })).status).toBe(200)
  expect(endDecision()).toBe(true)
  expect(await reversalOf(one.id)).toEqual({ status: 'SENT' })

  await pauseWorkers(bank.world)
  expect((await reverse(other.id)).status).toBe(200)
  const endFile = interrupt(
    (table) => table === 'bank_files',
    () => decide(other.id, { outcome: 'DELIVERED' }),
  )
  await resumeWorkers(bank.world)
  await world.reversalIs(other.id, 'FAILED')
  expect(endFile()).toBe(true)
  expect(await bank.outbox()).toEqual({})
})

test('a reversal does not leave after a decision that was made while its rail was not configured', async () => {
  const { bank, carried, reverse, decide, reversalIs } = world
  const entry = entryOfRail()
  const { id } = await carried('send', '444777004', 100)
  await pauseWorkers(bank.world)
  expect((await reverse(id)).status).toBe(200)
  await bank.world.setRails([])
  expect((await decide(id, { outcome: 'DELIVERED' })).status).toBe(200)
  await bank.world.setRails([entry])
  await resumeWorkers(bank.world)
  expect((await reversalIs(id, 'FAILED')).failure).toContain('decided')
  expect(await bank.outbox()).toEqual({})
})

test('a payment of another originator, bank or account of the rail is not reversed, and the trace number of its reversal still names it', async () => {
  const { bank, carried, reversed, reverse, state, reportsWith } = world
  const entry = entryOfRail()
  const { id } = await carried('send', '444777002', 100)
  const sent = await reversed('444777003', 110)
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
  await state({ amount: 110n, servicerReference: traceIn(sent.back) })
  await bank.world.setRails([entry])
  expect(await reportsWith(sent.id)).toEqual([expect.objectContaining({ reason: 'REVERSAL' })])
})

test('payments leave before reversals, and only a few reversals leave a day, so that payments keep their files', async () => {
  const { reverse, nextFile, waitForQueued, reversalOf, startDay, query } = world
  const { ids, accountOf, send } = await manyCarried('burst', REVERSALS_PER_DAY_MAX + 2)
  await startDay()
  await pauseWorkers(world.bank.world)
  for (const id of ids) expect((await reverse(id)).status).toBe(200)
  await send(await accountOf('555666777'), 10)
  await waitForQueued(1)
  await resumeWorkers(world.bank.world)
  expect((await nextFile()).entries).toEqual([expect.stringMatching(/^622011401533555666777/)])
  for (let sent = 0; sent < REVERSALS_PER_DAY_MAX; sent++)
    expect((await nextFile()).entries).toEqual([expect.stringMatching(/^627/)])
  await send(await accountOf('555666778'), 10)
  await waitForQueued(1)
  expect((await nextFile()).entries).toEqual([expect.stringMatching(/^622011401533555666778/)])
  expect(await reversalOf(ids.at(-1) ?? '')).toEqual({ status: 'WAITING' })
  const waiting = await query(
    `SELECT id FROM bank_payments WHERE kind = 'REVERSAL' AND file_id IS NULL AND NOT details ? 'failure'`,
  )
  expect(waiting.rows).toHaveLength(2)
  await startDay()
  for (const id of ids.slice(-2)) {
    await nextFile()
    expect(await reversalOf(id)).toEqual({ status: 'SENT' })
  }
})

test('requests that the remaining days cannot carry are refused, however many are made at the same time', async () => {
  const { reverse, bank } = world
  const { clock } = bank.world.service.app
  const entry = entryOfRail()
  // On these days each file has a later date than the one of the day before, but for a holiday.
  const days = ['MON', 'TUE', 'WED', 'THU', 'FRI']
  const timed = { ...entry, hours: { timeZone: 'UTC', days, opensAt: '00:00', cutOff: '23:59' } }
  const { ids } = await manyCarried('too-many', 3 * REVERSALS_PER_DAY_MAX)
  await bank.world.setRails([timed])
  const opened = entryOfRail()
  const now = clock()
  const lastDate = findLatestEffectiveDate(opened, now, 0)
  let paidOn = now
  const dateOf = (at: Date) => at.toISOString().slice(0, 10)
  while (addBankingDays(opened, dateOf(paidOn), 5) > lastDate)
    paidOn = new Date(paidOn.getTime() - 86_400_000)
  for (const id of ids) await dateFile(id, dateOf(paidOn))
  await pauseWorkers(bank.world)
  const replies = await Promise.all(ids.map((id) => reverse(id)))
  const fitting = [0, 1, 2].filter((later) => findLatestEffectiveDate(opened, now, later) <= lastDate).length
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(fitting * REVERSALS_PER_DAY_MAX)
  const refused = replies.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const reply of refused) {
    expectError(reply, { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(reply.body.details).toEqual({ reason: 'TOO_MANY' })
  }
  await bank.world.setRails([entry])
  await resumeWorkers(bank.world)
})
