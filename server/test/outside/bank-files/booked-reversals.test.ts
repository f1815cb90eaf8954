import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { requireValue } from '../../../src/base/formats/require-value.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { isBankFilesRail } from '../../../src/outside/bank-files/rail.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { FUNDS, openReversalBank, referenceIn, type StatedLine, traceIn } from './reversals.testing.ts'

let world: Awaited<ReturnType<typeof openReversalBank>>
beforeAll(async () => {
  world = await openReversalBank()
})
beforeEach(() => world.startDay())
afterAll(() => world.bank.close())

/** The differences of a day, compared now. */
async function differencesOn(date: string): Promise<readonly { reason: string; about?: string }[]> {
  const { app } = world.bank.world.service
  await runCommand(app, ['reconciliation', 'run', '--rail', 'file-bank', '--date', date], '')
  const { data } = await world.get(`/reconciliations?startDate=${date}&endDate=${date}`)
  return (await world.get(`/reconciliations/${data[0].id}`)).differences
}

/** The line of a day that nothing explains. */
async function openLineOn(date: string): Promise<string> {
  const { rows } = await world.query(
    `SELECT id FROM rail_statement_entries WHERE reason = 'UNEXPLAINED'
       AND statement_id IN (SELECT id FROM rail_statements WHERE date = $1)`,
    [date],
  )
  const line = String(rows[0]?.id)
  expect(rows).toHaveLength(1)
  expect(await differencesOn(date)).toContainEqual(
    expect.objectContaining({ reason: 'UNEXPLAINED', about: line }),
  )
  return line
}

test('a line that books a reversal waits for a person, and the decision RETURNED with it gives the payer the money once', async () => {
  const { bank, reversed, state, decide, reportsWith, balanceIs, statusOf, reversalOf, passDays, reverse } =
    world
  const { id, entry, back, customerId } = await reversed('111222333', 400)
  await passDays(id)
  await state({ amount: -400n, reference: referenceIn(entry) })
  const date = await state({ amount: 400n, reference: referenceIn(back) })
  const [report] = await reportsWith(referenceIn(back))
  expect(report).toMatchObject({ reason: 'REVERSAL', type: 'file.booking', body: { data: { id } } })
  expect([await bank.balanceOf(customerId), await statusOf(id)]).toEqual([FUNDS - 400n, 'COMPLETED'])
  const line = await openLineOn(date)
  const { data: approvals } = await world.get('/approvals?kind=RAIL_EVENT')
  expect(approvals).toContainEqual(expect.objectContaining({ objectId: report.id, transactionId: id }))

  const evidence = { statementEntryIds: [line] }
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => decide(id, { outcome: 'RETURNED', evidence })),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  await balanceIs(customerId, FUNDS)
  expect(await reportsWith(id)).toEqual([])
  const about = ({ about }: { about?: string }) => about === line || about === id
  expect((await differencesOn(date)).filter(about)).toEqual([])
  expect(await reversalOf(id)).toEqual({ status: 'SENT' })
  expectError(await reverse(id), { code: 'INVALID_STATE_TRANSITION' })
  expect(await bank.balanceOf(customerId)).toBe(FUNDS)
})

test('a line that names a reversal in any field, or its file, waits and is never a deposit or a return of its payment, and an advice or an entry about it adds nothing', async () => {
  const { bank, reversed, state, advise, enter, reportsWith, statusOf, get } = world
  const { id, back, file, customerId } = await reversed('222333444', 250)
  const deposits = async () => (await get('/deposits?limit=100')).data.length
  const before = await deposits()
  const lines: StatedLine[] = [
    { amount: 250n, batch: file },
    { amount: 250n, text: `ACH RETURN OF FUNDS ${file}` },
    { amount: 250n, text: `REVERSAL ${referenceIn(back)} THANKS` },
    { amount: 250n, text: `TRACE ${traceIn(back)}` },
    { amount: 240n, reference: referenceIn(back) },
    { amount: -250n, reference: referenceIn(back), returnReason: 'AC04' },
  ]
  for (const [index, line] of lines.entries()) {
    await state(line)
    expect(await reportsWith(id), JSON.stringify(index)).toHaveLength(index + 1)
  }
  await advise({ amount: 250n, reference: referenceIn(back), text: 'An advice' })
  await enter(250n, `TRACE ${traceIn(back)}`)
  const reports = await reportsWith(id)
  expect(reports).toHaveLength(lines.length)
  expect(new Set(reports.map(({ reason }: { reason: string }) => reason))).toEqual(new Set(['REVERSAL']))
  expect(await deposits()).toBe(before)
  expect(await statusOf(id)).not.toBe('REFUNDED')
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 250n)
})

test('if the payment itself comes back in the same statement as its reversal, it is returned once and the line of the reversal waits', async () => {
  const { bank, reversed, state, reportsWith, balanceIs, decide } = world
  const { id, entry, back, customerId } = await reversed('333444555', 150)
  const date = await state(
    { amount: 150n, reference: referenceIn(back) },
    { amount: 150n, reference: referenceIn(entry), returnReason: 'AC04' },
  )
  await balanceIs(customerId, FUNDS)
  const [report] = await reportsWith(referenceIn(back))
  expect(report).toMatchObject({ reason: 'REVERSAL', body: { data: { id } } })
  const line = await openLineOn(date)
  const again = await decide(id, { outcome: 'RETURNED', evidence: { statementEntryIds: [line] } })
  expectError(again, { code: 'INVALID_STATE_TRANSITION' })
  expect(await bank.balanceOf(customerId)).toBe(FUNDS)
})

test('a return of the payment after a person has decided RETURNED about its reversal waits as a contradiction', async () => {
  const { bank, reversed, state, reportsWith, balanceIs, decide, giveBack } = world
  const { id, entry, back, customerId } = await reversed('444555666', 150)
  const line = await openLineOn(await state({ amount: 150n, reference: referenceIn(back) }))
  const decided = await decide(id, { outcome: 'RETURNED', evidence: { statementEntryIds: [line] } })
  expect(decided.status, JSON.stringify(decided.body)).toBe(200)
  await balanceIs(customerId, FUNDS)
  await giveBack(entry, 'R03')
  const [report] = await until(
    () => reportsWith(id),
    (found) => found.length > 0,
  )
  expect(report).toMatchObject({ reason: 'CONTRADICTION', type: 'payment.returned' })
  expect(await bank.balanceOf(customerId)).toBe(FUNDS)
})

test('a reversal that comes back after a person has decided RETURNED waits as a contradiction, and DELIVERED makes the amount a receivable', async () => {
  const { bank, reversed, state, reportsWith, balanceIs, decide, giveBack, reversalIs } = world
  const { id, back, customerId } = await reversed('555666777', 150)
  const line = await openLineOn(await state({ amount: 150n, reference: referenceIn(back) }))
  await decide(id, { outcome: 'RETURNED', evidence: { statementEntryIds: [line] } })
  await balanceIs(customerId, FUNDS)
  await giveBack(back, 'R10')
  await reversalIs(id, 'FAILED')
  const [report] = await reportsWith(id)
  expect(report).toMatchObject({ reason: 'CONTRADICTION', type: 'payment.reversal-returned' })
  const returned = await openLineOn(
    await state({ amount: -150n, reference: referenceIn(back), returnReason: 'AC04' }),
  )
  const decided = await decide(id, {
    ...{ outcome: 'DELIVERED', railEventId: report.id, evidence: { statementEntryIds: [returned] } },
  })
  expect(decided.status, JSON.stringify(decided.body)).toBe(200)
  expect(await reportsWith(id)).toEqual([])
  expect(await bank.balanceOf(customerId)).toBe(FUNDS)
})

test('a line does not prove RETURNED once the bank has given its reversal back, in whatever order both arrive', async () => {
  const { bank, reversed, state, decide, giveBack, reversalIs, reportsWith, balanceIs } = world
  const refused = await reversed('666777888', 150)
  const line = await openLineOn(await state({ amount: 150n, reference: referenceIn(refused.back) }))
  await giveBack(refused.back, 'R10')
  await reversalIs(refused.id, 'FAILED')
  const evidence = { statementEntryIds: [line] }
  const late = await decide(refused.id, { outcome: 'RETURNED', evidence })
  expectError(late, { code: 'PAYMENT_NOT_DECIDABLE' })
  expect(late.body.details).toEqual({ reason: 'REVERSAL_FAILED' })
  expect(await bank.balanceOf(refused.customerId)).toBe(FUNDS - 150n)

  const raced = await reversed('666777889', 160)
  const other = await openLineOn(await state({ amount: 160n, reference: referenceIn(raced.back) }))
  const returned = { outcome: 'RETURNED', evidence: { statementEntryIds: [other] } }
  const [decided] = await Promise.all([decide(raced.id, returned), giveBack(raced.back, 'R10')])
  await reversalIs(raced.id, 'FAILED')
  const contradictions = (await reportsWith(raced.id)).filter(
    ({ reason }: { reason: string }) => reason === 'CONTRADICTION',
  )
  expect(contradictions).toHaveLength(decided.status === 200 ? 1 : 0)
  await balanceIs(raced.customerId, decided.status === 200 ? FUNDS : FUNDS - 160n)
})

test('a reversal that failed after a decision about it was read stops the decision at its commit', async () => {
  const { bank, reversed, state, decide, giveBack, reversalIs } = world
  const { id, back, customerId } = await reversed('666777890', 170)
  const line = await openLineOn(await state({ amount: 170n, reference: referenceIn(back) }))
  const { app } = bank.world.service
  const { commit } = app
  // The bank's return is applied after the decision has read the reversal, and before it commits.
  let isFirst = true
  app.commit = async (op, writes) => {
    const decides = writes.some((one) => one.write === 'insert' && one.table === 'payment_decisions')
    if (decides && isFirst) {
      isFirst = false
      await giveBack(back, 'R10')
      await reversalIs(id, 'FAILED')
    }
    return commit(op, writes)
  }
  try {
    const late = await decide(id, { outcome: 'RETURNED', evidence: { statementEntryIds: [line] } })
    expectError(late, { code: 'PAYMENT_NOT_DECIDABLE' })
    expect([isFirst, late.body.details]).toEqual([false, { reason: 'REVERSAL_FAILED' }])
  } finally {
    app.commit = commit
  }
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 170n)
})

test('a reversal that only a statement takes back is ended by DELIVERED, before or after a decision RETURNED', async () => {
  const { bank, reversed, state, decide, reportsWith, reversalIs, balanceIs, passDays, reverse, startDay } =
    world
  const lineOf = async (amount: bigint, back: string) =>
    openLineOn(await state({ amount, reference: referenceIn(back) }))
  const reportOf = async (id: string, amount: bigint) =>
    (await reportsWith(id)).find(({ body }: { body: { data: { amount: string } } }) => {
      return BigInt(body.data.amount) === amount
    }).id
  const early = await reversed('777888990', 150)
  await passDays(early.id)
  const [came, went] = [await lineOf(150n, early.back), await lineOf(-150n, early.back)]
  const back = { outcome: 'RETURNED', evidence: { statementEntryIds: [came] } }
  const taken = await decide(early.id, back)
  expectError(taken, { code: 'PAYMENT_NOT_DECIDABLE' })
  expect(taken.body.details).toEqual({ reason: 'REVERSAL_TAKEN_BACK' })
  const [reportCame, reportWent] = [await reportOf(early.id, 150n), await reportOf(early.id, -150n)]
  for (const [body, code] of [
    [{ ...back, evidence: { statementEntryIds: [came, went] } }, 'PAYMENT_NOT_DECIDABLE'],
    [{ outcome: 'DELIVERED', railEventId: reportCame }, 'INVALID_INPUT'],
    [
      { outcome: 'DELIVERED', railEventId: reportWent, evidence: { statementEntryIds: [went] } },
      'PAYMENT_NOT_DECIDABLE',
    ],
  ] as const)
    expectError(await decide(early.id, body), { code })
  const ended = await decide(early.id, { outcome: 'DELIVERED', railEventId: reportWent })
  expect(ended.status, JSON.stringify(ended.body)).toBe(200)
  await reversalIs(early.id, 'FAILED')
  expect(await bank.balanceOf(early.customerId)).toBe(FUNDS - 150n)
  expectError(await decide(early.id, back), { code: 'INVALID_STATE_TRANSITION' })
  expect((await reverse(early.id)).status).toBe(200)
  await world.nextFile()
  await startDay()

  const late = await reversed('777888991', 160)
  const line = await lineOf(160n, late.back)
  const report = await reportOf(late.id, 160n)
  // The report is resolved once, also if both name it.
  const named = { outcome: 'RETURNED', railEventId: report, evidence: { statementEntryIds: [line] } }
  expect((await decide(late.id, named)).status).toBe(200)
  await balanceIs(late.customerId, FUNDS)
  const taking = await lineOf(-160n, late.back)
  const owed = await decide(late.id, {
    ...{ outcome: 'DELIVERED', railEventId: await reportOf(late.id, -160n) },
    evidence: { statementEntryIds: [taking] },
  })
  expect(owed.status, JSON.stringify(owed.body)).toBe(200)
  await reversalIs(late.id, 'FAILED')
  expect(await reportsWith(late.id)).toEqual([])
  expect(await bank.balanceOf(late.customerId)).toBe(FUNDS)
})

test('the line of one reversal proves nothing about another payment, and a sent reversal is booked with a line only', async () => {
  const { bank, reversed, state, decide, startDay } = world
  const [one, other] = [await reversed('777888992', 150), await reversed('777888993', 150)]
  await startDay()
  const line = await openLineOn(await state({ amount: 150n, reference: referenceIn(other.back) }))
  const evidence = { statementEntryIds: [line] }
  expectError(await decide(one.id, { outcome: 'RETURNED', evidence }), { code: 'INVALID_INPUT' })
  const noted = await decide(one.id, { outcome: 'RETURNED' })
  expectError(noted, { code: 'PAYMENT_NOT_DECIDABLE' })
  expect(noted.body.details).toEqual({ reason: 'LINE_REQUIRED' })
  expect(await bank.balanceOf(one.customerId)).toBe(FUNDS - 150n)
})

test('banking days that pass after a decision contradict nothing, also after a second one', async () => {
  const { reversed, carried, reverse, nextFile, state, decide, reportsWith, balanceIs, lapse, statusOf } =
    world
  const first = await reversed('888999003', 150)
  const line = await openLineOn(await state({ amount: 150n, reference: referenceIn(first.back) }))
  await decide(first.id, { outcome: 'RETURNED', evidence: { statementEntryIds: [line] } })
  await balanceIs(first.customerId, FUNDS)

  const second = await carried('send', '888999004', 160)
  expect((await decide(second.id, { outcome: 'DELIVERED' })).status).toBe(200)
  expect((await reverse(second.id)).status).toBe(200)
  const [back = ''] = (await nextFile()).entries
  const again = await openLineOn(await state({ amount: 160n, reference: referenceIn(back) }))
  await decide(second.id, { outcome: 'RETURNED', evidence: { statementEntryIds: [again] } })
  await balanceIs(second.customerId, FUNDS)

  const failed = await carried('send', '888999005', 170)
  expect((await decide(failed.id, { outcome: 'FAILED' })).status).toBe(200)
  await balanceIs(failed.customerId, FUNDS)
  const before = await Promise.all([first, second, failed].map(({ id }) => statusOf(id)))
  await lapse()
  for (const { id, customerId } of [first, second, failed]) {
    expect(await reportsWith(id)).toEqual([])
    await balanceIs(customerId, FUNDS)
  }
  expect(await Promise.all([first, second, failed].map(({ id }) => statusOf(id)))).toEqual(before)
})

test('money of a reversal that another file has counted is confirmed by its line and counts once', async () => {
  const { bank, reversed, state, decide, reportsWith, suspended, query, advise, enter } = world
  const { id, back, customerId } = await reversed('888999006', 175)
  await enter(175n, 'SETTLEMENT')
  expect(await suspended(175n)).toHaveLength(1)
  const date = await state({ amount: 175n, text: `TRACE ${traceIn(back)}` })
  expect(await reportsWith(id)).toEqual([])
  const { rows } = await query(
    `SELECT id FROM rail_statement_entries WHERE kind = 'DEPOSIT'
       AND statement_id IN (SELECT id FROM rail_statements WHERE date = $1)`,
    [date],
  )
  expect(rows).toHaveLength(1)
  const evidence = { statementEntryIds: [String(rows[0]?.id)] }
  expectError(await decide(id, { outcome: 'RETURNED', evidence }), { code: 'INVALID_INPUT' })
  expectError(await decide(id, { outcome: 'RETURNED' }), { code: 'PAYMENT_NOT_DECIDABLE' })
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 175n)

  const stated = await reversed('888999007', 185)
  const { entry } = requireValue(bank.world.service.app.rails.list().find(isBankFilesRail), 'rail of files')
  await bank.world.setRails([{ ...entry, depositsFrom: 'ADVICES' }])
  const same = { amount: 185n, servicerReference: 'SAME-BOOKING' }
  const line = await openLineOn(await state({ ...same, reference: referenceIn(stated.back) }))
  await advise({ ...same, text: 'COLLECTED' })
  const decided = await decide(stated.id, { outcome: 'RETURNED', evidence: { statementEntryIds: [line] } })
  expect(decided.status, JSON.stringify(decided.body)).toBe(200)
  await advise({ ...same, text: 'COLLECTED AGAIN' })
  await bank.world.setRails([entry])
  expect(await suspended(185n)).toEqual([])
})
