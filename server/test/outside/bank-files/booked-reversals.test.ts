import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { FUNDS, openReversalBank, referenceIn, type StatedLine, traceIn } from './reversals.testing.ts'

let world: Awaited<ReturnType<typeof openReversalBank>>
beforeAll(async () => {
  world = await openReversalBank()
})
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

test('a line or an advice that names a reversal in any field, or its file, is never a deposit and never a return of its payment', async () => {
  const { bank, reversed, state, advise, reportsWith, statusOf, get } = world
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
  const reports = await reportsWith(id)
  expect(reports).toHaveLength(lines.length + 1)
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
