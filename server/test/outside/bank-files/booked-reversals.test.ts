import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
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

/** The line of a day that nothing explains, of this amount if there are several. */
async function openLineOn(date: string, amount?: bigint): Promise<string> {
  const { rows } = await world.query(
    `SELECT id FROM rail_statement_entries WHERE reason = 'UNEXPLAINED' AND amount = coalesce($2, amount)
       AND statement_id IN (SELECT id FROM rail_statements WHERE date = $1)`,
    [date, amount ?? null],
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

/** Reports about a payment that contradict a decision. */
const contradictions = async (id: string) =>
  (await world.reportsWith(id)).filter(({ reason }: { reason: string }) => reason === 'CONTRADICTION')

test('a line or entry that names a reversal by an id, or its file, waits and is never a deposit or a return of its payment, and a text names none', async () => {
  const { bank, reversed, state, advise, enter, reportsWith, statusOf, suspended } = world
  const { id, back, file, customerId } = await reversed('222333444', 251)
  const lines: StatedLine[] = [
    { amount: 251n, batch: file },
    { amount: 251n, servicerReference: traceIn(back) },
    { amount: 251n, reference: referenceIn(back) },
    { amount: -251n, reference: referenceIn(back), returnReason: 'AC04' },
  ]
  for (const [index, line] of lines.entries()) {
    await state(line)
    expect(await reportsWith(id), JSON.stringify(index)).toHaveLength(index + 1)
  }
  await enter(251n, 'COLLECTED', referenceIn(back))
  await advise({ amount: 251n, reference: referenceIn(back), text: 'An advice counts no deposits here' })
  const reports = await reportsWith(id)
  expect(reports).toHaveLength(lines.length + 1)
  expect(new Set(reports.map(({ reason }: { reason: string }) => reason))).toEqual(new Set(['REVERSAL']))
  expect(await suspended(251n)).toEqual([])

  const text = `REVERSAL ${referenceIn(back)} ${traceIn(back)} ${file}`
  await state({ amount: 252n, text })
  await state({ amount: 253n, servicerReference: traceIn(back) })
  // A payer may write a reference, so it counts only with the amount.
  await state({ amount: 254n, reference: referenceIn(back) })
  await enter(255n, 'COLLECTED', referenceIn(back))
  for (const amount of [252n, 253n, 254n, 255n])
    expect(await suspended(amount), String(amount)).toEqual([expect.anything()])
  expect(await reportsWith(id)).toHaveLength(reports.length)
  expect(await statusOf(id)).not.toBe('REFUNDED')
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 251n)
})

test('the line of a payment that repeats a reversal in its text is a line of the payment', async () => {
  const { reversed, carried, state, reportsWith, query } = world
  const { back } = await reversed('222333445', 260)
  const other = await carried('send', '222333446', 270)
  await state({ amount: -270n, reference: referenceIn(other.entry), text: referenceIn(back) })
  expect(await reportsWith(referenceIn(back))).toEqual([])
  const { rows } = await query(`SELECT kind FROM rail_statement_entries WHERE amount = -270`)
  expect(rows).toEqual([{ kind: 'PAYMENT' }])
})

test('an entry that names a reversal is decided about without a statement, and gives the payer the money once', async () => {
  const { reversed, enter, reportsWith, decide, balanceIs, bank } = world
  const { id, back, customerId } = await reversed('222333447', 280)
  await enter(280n, 'COLLECTED', referenceIn(back))
  const [report] = await reportsWith(id)
  expect(report).toMatchObject({ type: 'file.ach', reason: 'REVERSAL' })
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => decide(id, { outcome: 'RETURNED', railEventId: report.id })),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  await balanceIs(customerId, FUNDS)
  expect(await reportsWith(id)).toEqual([])
  expect(await bank.balanceOf(customerId)).toBe(FUNDS)
})

test('a line that names a reversal confirms no deposit, and a person can match it with the one that has its money', async () => {
  const { bank, reversed, state, enter, reportsWith, suspended, decide } = world
  const { id, back, customerId } = await reversed('222333448', 175)
  await enter(175n, 'SETTLEMENT')
  const line = await openLineOn(await state({ amount: 175n, reference: referenceIn(back) }))
  expect(await reportsWith(id)).toEqual([expect.objectContaining({ reason: 'REVERSAL' })])
  const [deposit] = await suspended(175n)
  const matched = await bank.world.client.post('/reconciliation-matches', {
    ...{ rail: 'file-bank', currency: 'USD', reason: 'The entry came first' },
    ...{ statementEntryIds: [line], paymentIds: [deposit.id] },
  })
  expect(matched.status, JSON.stringify(matched.body)).toBe(201)
  expect(await reportsWith(id)).toEqual([])
  const evidence = { statementEntryIds: [line] }
  expectError(await decide(id, { outcome: 'RETURNED', evidence }), { code: 'INVALID_INPUT' })
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 175n)
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

test.each([
  ['SENT', []],
  ['FAILED', ['CONTRADICTION']],
] as const)(
  'a return of the payment after a person has decided RETURNED waits as a contradiction, also if its reversal is %s',
  async (status, before) => {
    const { bank, reversed, balanceIs, decide, giveBack, reversalIs } = world
    const { id, entry, back, customerId } = await reversed('444555666', 150 + before.length)
    expect((await decide(id, { outcome: 'RETURNED' })).status).toBe(200)
    await balanceIs(customerId, FUNDS)
    if (status === 'FAILED') await giveBack(back, 'R10')
    await reversalIs(id, status)
    await giveBack(entry, 'R03')
    const found = await until(
      () => contradictions(id),
      ({ length }) => length > before.length,
    )
    expect(found.map(({ type }: { type: string }) => type)).toContain('payment.returned')
    expect(await bank.balanceOf(customerId)).toBe(FUNDS)
  },
)

test.each(['RETURNED', 'FAILED'] as const)(
  'a reversal that comes back after a person has decided %s waits as a contradiction, and DELIVERED makes the amount a receivable',
  async (outcome) => {
    const { bank, reversed, state, reportsWith, balanceIs, decide, giveBack, reversalIs } = world
    const { id, back, customerId } = await reversed('555666777', 140 + outcome.length)
    expect((await decide(id, { outcome })).status).toBe(200)
    await balanceIs(customerId, FUNDS)
    await giveBack(back, 'R10')
    await reversalIs(id, 'FAILED')
    const [report] = await reportsWith(id)
    expect(report).toMatchObject({ reason: 'CONTRADICTION', type: 'payment.reversal-returned' })
    const taken = { amount: -BigInt(140 + outcome.length), reference: referenceIn(back) }
    const line = await openLineOn(await state(taken))
    const decided = await decide(id, {
      ...{ outcome: 'DELIVERED', railEventId: report.id, evidence: { statementEntryIds: [line] } },
    })
    expect(decided.status, JSON.stringify(decided.body)).toBe(200)
    expect(await reportsWith(id)).toEqual([])
    expect(await bank.balanceOf(customerId)).toBe(FUNDS)
  },
)

test('a decision that is made while the return of a reversal is applied is contradicted by it', async () => {
  const { reversed, decide, giveBack, reversalIs, balanceIs, interrupt } = world
  const { id, back, customerId } = await reversed('666777890', 170)
  const end = interrupt(
    (table, row) => table === 'rail_events' && row.type === 'payment.reversal-returned',
    () => decide(id, { outcome: 'RETURNED' }),
  )
  await giveBack(back, 'R10')
  await reversalIs(id, 'FAILED')
  expect(end()).toBe(true)
  await balanceIs(customerId, FUNDS)
  expect(await contradictions(id)).toEqual([expect.objectContaining({ type: 'payment.reversal-returned' })])
})

test('a decision about one line of a day contradicts no decision about another line of it', async () => {
  const { reversed, state, decide, reportsWith, balanceIs, bank } = world
  const [one, other] = [await reversed('777888990', 181), await reversed('777888991', 182)]
  const date = await state(
    { amount: 181n, reference: referenceIn(one.back) },
    { amount: 182n, reference: referenceIn(other.back) },
  )
  const [first, second] = [await openLineOn(date, 181n), await openLineOn(date, 182n)]
  await decide(one.id, { outcome: 'RETURNED', evidence: { statementEntryIds: [first] } })
  await balanceIs(one.customerId, FUNDS)
  const taken = await openLineOn(await state({ amount: -181n, reference: referenceIn(one.back) }))
  const [report] = await reportsWith(one.id)
  const owed = await decide(one.id, {
    ...{ outcome: 'DELIVERED', railEventId: report.id, evidence: { statementEntryIds: [taken] } },
  })
  expect(owed.status, JSON.stringify(owed.body)).toBe(200)
  await decide(other.id, { outcome: 'RETURNED', evidence: { statementEntryIds: [second] } })
  await balanceIs(other.customerId, FUNDS)
  // The lines of the day are applied again.
  await differencesOn(date)
  expect([await contradictions(one.id), await contradictions(other.id)]).toEqual([[], []])
  expect(await bank.balanceOf(one.customerId)).toBe(FUNDS)
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
  const [report] = await reportsWith(second.id)
  const evidence = { statementEntryIds: [again] }
  await decide(second.id, { outcome: 'RETURNED', railEventId: report.id, evidence })
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
