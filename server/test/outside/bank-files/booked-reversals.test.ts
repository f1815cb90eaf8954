import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { FUNDS, openReversalBank, readReference, readTrace, type StatedLine } from './ach-bank.testing.ts'

let world: Awaited<ReturnType<typeof openReversalBank>>
beforeAll(async () => {
  world = await openReversalBank()
})
beforeEach(() => world.startDay())
afterAll(() => world.bank.close())

/** Reconciles a day and returns its differences. */
async function reconcileDay(date: string): Promise<readonly { reason: string; about?: string }[]> {
  const { app } = world.bank.world.service
  await runCommand(app, ['reconciliation', 'run', '--rail', 'file-bank', '--date', date], '')
  const { data } = await world.get(`/reconciliations?startDate=${date}&endDate=${date}`)
  return (await world.get(`/reconciliations/${data[0].id}`)).differences
}

/** Finds the unexplained line of a day, or the one with this amount if there are several. */
async function findOpenLine(date: string, amount?: bigint): Promise<string> {
  const { rows } = await world.query(
    `SELECT id FROM rail_statement_entries WHERE reason = 'UNEXPLAINED' AND amount = coalesce($2, amount)
       AND statement_id IN (SELECT id FROM rail_statements WHERE date = $1)`,
    [date, amount ?? null],
  )
  const line = String(rows[0]?.id)
  expect(rows).toHaveLength(1)
  expect(await reconcileDay(date)).toContainEqual(
    expect.objectContaining({ reason: 'UNEXPLAINED', about: line }),
  )
  return line
}

test('a line that books a reversal waits for a person, and the decision RETURNED based on it refunds the payer once', async () => {
  const {
    bank,
    submitReversedPayment,
    putStatement,
    decide,
    findReports,
    waitForBalance,
    readStatus,
    findReversal,
    waitForDelivery,
    reverse,
  } = world
  const { id, entry, reversalEntry, customerId } = await submitReversedPayment('111222333', 400)
  await waitForDelivery(id)
  await putStatement({ amount: -400n, reference: readReference(entry) })
  const date = await putStatement({ amount: 400n, reference: readReference(reversalEntry) })
  const [report] = await findReports(readReference(reversalEntry))
  expect(report).toMatchObject({ reason: 'REVERSAL', type: 'file.booking', body: { data: { id } } })
  expect([await bank.balanceOf(customerId), await readStatus(id)]).toEqual([FUNDS - 400n, 'COMPLETED'])
  const line = await findOpenLine(date)
  const { data: approvals } = await world.get('/approvals?kind=RAIL_EVENT')
  expect(approvals).toContainEqual(expect.objectContaining({ objectId: report.id, transactionId: id }))

  const evidence = { statementEntryIds: [line] }
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => decide(id, { outcome: 'RETURNED', evidence })),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  await waitForBalance(customerId, FUNDS)
  expect(await findReports(id)).toEqual([])
  const isAboutPayment = ({ about }: { about?: string }) => about === line || about === id
  expect((await reconcileDay(date)).filter(isAboutPayment)).toEqual([])
  expect(await findReversal(id)).toEqual({ status: 'SENT' })
  expectError(await reverse(id), { code: 'INVALID_STATE_TRANSITION' })
  expect(await bank.balanceOf(customerId)).toBe(FUNDS)
})

/** Lists the reports about a payment that contradict a decision. */
const listContradictions = async (id: string) =>
  (await world.findReports(id)).filter(({ reason }: { reason: string }) => reason === 'CONTRADICTION')

test('a line or entry that names a reversal by an id or its file waits and is never a deposit or return, while a mention in free text does not count', async () => {
  const {
    bank,
    submitReversedPayment,
    putStatement,
    putAdvice,
    putCreditEntry,
    findReports,
    readStatus,
    listSuspended,
  } = world
  const { id, reversalEntry, file, customerId } = await submitReversedPayment('222333444', 251)
  const lines: StatedLine[] = [
    { amount: 251n, batch: file },
    { amount: 251n, servicerReference: readTrace(reversalEntry) },
    { amount: 251n, reference: readReference(reversalEntry) },
    { amount: -251n, reference: readReference(reversalEntry), returnReason: 'AC04' },
  ]
  for (const [index, line] of lines.entries()) {
    await putStatement(line)
    expect(await findReports(id), JSON.stringify(index)).toHaveLength(index + 1)
  }
  await putCreditEntry(251n, 'COLLECTED', readReference(reversalEntry))
  await putAdvice({
    amount: 251n,
    reference: readReference(reversalEntry),
    text: 'An advice counts no deposits here',
  })
  const reports = await findReports(id)
  expect(reports).toHaveLength(lines.length + 1)
  expect(new Set(reports.map(({ reason }: { reason: string }) => reason))).toEqual(new Set(['REVERSAL']))
  expect(await listSuspended(251n)).toEqual([])

  const text = `REVERSAL ${readReference(reversalEntry)} ${readTrace(reversalEntry)} ${file}`
  await putStatement({ amount: 252n, text })
  await putStatement({ amount: 253n, servicerReference: readTrace(reversalEntry) })
  // A payer may write a reference, so it counts only with the amount.
  await putStatement({ amount: 254n, reference: readReference(reversalEntry) })
  await putCreditEntry(255n, 'COLLECTED', readReference(reversalEntry))
  for (const amount of [252n, 253n, 254n, 255n])
    expect(await listSuspended(amount), String(amount)).toEqual([expect.anything()])
  expect(await findReports(id)).toHaveLength(reports.length)
  expect(await readStatus(id)).not.toBe('REFUNDED')
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 251n)
})

test('the line of a payment still belongs to the payment if its text mentions a reversal', async () => {
  const { submitReversedPayment, submitPayment, putStatement, findReports, query } = world
  const { reversalEntry } = await submitReversedPayment('222333445', 260)
  const otherPayment = await submitPayment('send', '222333446', 270)
  await putStatement({
    amount: -270n,
    reference: readReference(otherPayment.entry),
    text: readReference(reversalEntry),
  })
  expect(await findReports(readReference(reversalEntry))).toEqual([])
  const { rows } = await query(`SELECT kind FROM rail_statement_entries WHERE amount = -270`)
  expect(rows).toEqual([{ kind: 'PAYMENT' }])
})

test('an entry that names a reversal can be decided without a statement, and refunds the payer once', async () => {
  const { submitReversedPayment, putCreditEntry, findReports, decide, waitForBalance, bank } = world
  const { id, reversalEntry, customerId } = await submitReversedPayment('222333447', 280)
  await putCreditEntry(280n, 'COLLECTED', readReference(reversalEntry))
  const [report] = await findReports(id)
  expect(report).toMatchObject({ type: 'file.ach', reason: 'REVERSAL' })
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => decide(id, { outcome: 'RETURNED', railEventId: report.id })),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  await waitForBalance(customerId, FUNDS)
  expect(await findReports(id)).toEqual([])
  expect(await bank.balanceOf(customerId)).toBe(FUNDS)
})

test('a line that names a reversal confirms no deposit, but a person can match it with the deposit that has its money', async () => {
  const { bank, submitReversedPayment, putStatement, putCreditEntry, findReports, listSuspended, decide } =
    world
  const { id, reversalEntry, customerId } = await submitReversedPayment('222333448', 175)
  await putCreditEntry(175n, 'SETTLEMENT')
  const line = await findOpenLine(
    await putStatement({ amount: 175n, reference: readReference(reversalEntry) }),
  )
  expect(await findReports(id)).toEqual([expect.objectContaining({ reason: 'REVERSAL' })])
  const [deposit] = await listSuspended(175n)
  const reply = await bank.world.client.post('/reconciliation-matches', {
    ...{ rail: 'file-bank', currency: 'USD', reason: 'The entry came first' },
    ...{ statementEntryIds: [line], paymentIds: [deposit.id] },
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  expect(await findReports(id)).toEqual([])
  const evidence = { statementEntryIds: [line] }
  expectError(await decide(id, { outcome: 'RETURNED', evidence }), { code: 'INVALID_INPUT' })
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 175n)
})

test('a payment that is returned in the same statement as its reversal is refunded once, and the line of the reversal waits', async () => {
  const { bank, submitReversedPayment, putStatement, findReports, waitForBalance, decide } = world
  const { id, entry, reversalEntry, customerId } = await submitReversedPayment('333444555', 150)
  const date = await putStatement(
    { amount: 150n, reference: readReference(reversalEntry) },
    { amount: 150n, reference: readReference(entry), returnReason: 'AC04' },
  )
  await waitForBalance(customerId, FUNDS)
  const [report] = await findReports(readReference(reversalEntry))
  expect(report).toMatchObject({ reason: 'REVERSAL', body: { data: { id } } })
  const line = await findOpenLine(date)
  const reply = await decide(id, { outcome: 'RETURNED', evidence: { statementEntryIds: [line] } })
  expectError(reply, { code: 'INVALID_STATE_TRANSITION' })
  expect(await bank.balanceOf(customerId)).toBe(FUNDS)
})

test.each([
  ['SENT', []],
  ['FAILED', ['CONTRADICTION']],
] as const)(
  'a return of the payment after the decision RETURNED waits as a contradiction, even if its reversal is %s',
  async (status, before) => {
    const { bank, submitReversedPayment, waitForBalance, decide, returnEntry, waitForReversal } = world
    const { id, entry, reversalEntry, customerId } = await submitReversedPayment(
      '444555666',
      150 + before.length,
    )
    expect((await decide(id, { outcome: 'RETURNED' })).status).toBe(200)
    await waitForBalance(customerId, FUNDS)
    if (status === 'FAILED') await returnEntry(reversalEntry, 'R10')
    await waitForReversal(id, status)
    await returnEntry(entry, 'R03')
    const contradictions = await until(
      () => listContradictions(id),
      ({ length }) => length > before.length,
    )
    expect(contradictions.map(({ type }: { type: string }) => type)).toContain('payment.returned')
    expect(await bank.balanceOf(customerId)).toBe(FUNDS)
  },
)

test.each(['RETURNED', 'FAILED'] as const)(
  'a reversal that is returned after the decision %s waits as a contradiction, and the decision DELIVERED makes its amount a receivable',
  async (outcome) => {
    const {
      bank,
      submitReversedPayment,
      putStatement,
      findReports,
      waitForBalance,
      decide,
      returnEntry,
      waitForReversal,
    } = world
    const { id, reversalEntry, customerId } = await submitReversedPayment('555666777', 140 + outcome.length)
    expect((await decide(id, { outcome })).status).toBe(200)
    await waitForBalance(customerId, FUNDS)
    await returnEntry(reversalEntry, 'R10')
    await waitForReversal(id, 'FAILED')
    const [report] = await findReports(id)
    expect(report).toMatchObject({ reason: 'CONTRADICTION', type: 'payment.reversal-returned' })
    const debitLine = { amount: -BigInt(140 + outcome.length), reference: readReference(reversalEntry) }
    const line = await findOpenLine(await putStatement(debitLine))
    const reply = await decide(id, {
      ...{ outcome: 'DELIVERED', railEventId: report.id, evidence: { statementEntryIds: [line] } },
    })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    expect(await findReports(id)).toEqual([])
    expect(await bank.balanceOf(customerId)).toBe(FUNDS)
  },
)

test('a decision made while the return of a reversal is being applied is contradicted by that return', async () => {
  const { submitReversedPayment, decide, returnEntry, waitForReversal, waitForBalance, interrupt } = world
  const { id, reversalEntry, customerId } = await submitReversedPayment('666777890', 170)
  const end = interrupt(
    (table, row) => table === 'rail_events' && row.type === 'payment.reversal-returned',
    () => decide(id, { outcome: 'RETURNED' }),
  )
  await returnEntry(reversalEntry, 'R10')
  await waitForReversal(id, 'FAILED')
  expect(end()).toBe(true)
  await waitForBalance(customerId, FUNDS)
  expect(await listContradictions(id)).toEqual([
    expect.objectContaining({ type: 'payment.reversal-returned' }),
  ])
})

test('decisions about two lines of the same day do not contradict each other', async () => {
  const { submitReversedPayment, putStatement, decide, findReports, waitForBalance, bank } = world
  const [first, second] = [
    await submitReversedPayment('777888990', 181),
    await submitReversedPayment('777888991', 182),
  ]
  const date = await putStatement(
    { amount: 181n, reference: readReference(first.reversalEntry) },
    { amount: 182n, reference: readReference(second.reversalEntry) },
  )
  const [firstLine, secondLine] = [await findOpenLine(date, 181n), await findOpenLine(date, 182n)]
  await decide(first.id, { outcome: 'RETURNED', evidence: { statementEntryIds: [firstLine] } })
  await waitForBalance(first.customerId, FUNDS)
  const debitLine = await findOpenLine(
    await putStatement({ amount: -181n, reference: readReference(first.reversalEntry) }),
  )
  const [report] = await findReports(first.id)
  const reply = await decide(first.id, {
    ...{ outcome: 'DELIVERED', railEventId: report.id, evidence: { statementEntryIds: [debitLine] } },
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  await decide(second.id, { outcome: 'RETURNED', evidence: { statementEntryIds: [secondLine] } })
  await waitForBalance(second.customerId, FUNDS)
  // The lines of the day are applied again.
  await reconcileDay(date)
  expect([await listContradictions(first.id), await listContradictions(second.id)]).toEqual([[], []])
  expect(await bank.balanceOf(first.customerId)).toBe(FUNDS)
})

test('the banking days that pass after a first or second decision contradict neither', async () => {
  const {
    submitReversedPayment,
    submitPayment,
    reverse,
    takeNextFile,
    putStatement,
    decide,
    findReports,
    waitForBalance,
    passBankingDays,
    readStatus,
  } = world
  const first = await submitReversedPayment('888999003', 150)
  const line = await findOpenLine(
    await putStatement({ amount: 150n, reference: readReference(first.reversalEntry) }),
  )
  await decide(first.id, { outcome: 'RETURNED', evidence: { statementEntryIds: [line] } })
  await waitForBalance(first.customerId, FUNDS)

  const second = await submitPayment('send', '888999004', 160)
  expect((await decide(second.id, { outcome: 'DELIVERED' })).status).toBe(200)
  expect((await reverse(second.id)).status).toBe(200)
  const [reversalEntry = ''] = (await takeNextFile()).entries
  const secondLine = await findOpenLine(
    await putStatement({ amount: 160n, reference: readReference(reversalEntry) }),
  )
  const [report] = await findReports(second.id)
  const evidence = { statementEntryIds: [secondLine] }
  await decide(second.id, { outcome: 'RETURNED', railEventId: report.id, evidence })
  await waitForBalance(second.customerId, FUNDS)

  const failedPayment = await submitPayment('send', '888999005', 170)
  expect((await decide(failedPayment.id, { outcome: 'FAILED' })).status).toBe(200)
  await waitForBalance(failedPayment.customerId, FUNDS)
  const before = await Promise.all([first, second, failedPayment].map(({ id }) => readStatus(id)))
  await passBankingDays()
  for (const { id, customerId } of [first, second, failedPayment]) {
    expect(await findReports(id)).toEqual([])
    await waitForBalance(customerId, FUNDS)
  }
  expect(await Promise.all([first, second, failedPayment].map(({ id }) => readStatus(id)))).toEqual(before)
})
