import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { update } from '../../../src/storage/commit/writes.ts'
import type { ReconciliationMatchRow } from '../../../src/storage/rows/reconciliation.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { difference, MatchingWorld, matched } from '../../worlds/production/matches.testing.ts'
import { dateBefore, ModelBank, openProduction } from '../../worlds/production/production.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'

let matching: MatchingWorld
beforeAll(async () => {
  matching = await MatchingWorld.open(await openProduction())
})
afterAll(() => matching.world.close())

const getClient = () => matching.world.client

describe('a match is refused', () => {
  test('if it names an id that no record can have', async () => {
    const reply = await getClient().post('/reconciliation-matches', {
      rail: 'anything',
      currency: 'EUR',
      paymentIds: ['Deposit:0198c0de-0000-7000-8236-000000000017'],
      reason: 'The bank has kept a charge',
    })
    expectError(reply, { code: 'INVALID_INPUT', field: 'paymentIds' })
  })

  test('if a line or a payment is in another match', async () => {
    const bank = new ModelBank(matching.world)
    const [firstId, secondId] = [await matching.pays(bank, 100), await matching.pays(bank, 100)]
    const line = await matching.states(bank, [[-100], [-101]])
    const { id } = await matched(
      matching.match(bank, { statementEntryIds: [line(-100)], paymentIds: [firstId] }),
    )
    const expectRefused = async (body: object, reason: string, about: string) => {
      const reply = await matching.match(bank, body)
      expectError(reply, { code: 'RECORDS_NOT_MATCHABLE' })
      expect(reply.body.details).toEqual({ reason, id: about })
    }
    await expectRefused({ statementEntryIds: [line(-100)], paymentIds: [secondId] }, 'MATCHED', line(-100))
    await expectRefused(
      { statementEntryIds: [line(-101)], paymentIds: [firstId], ...difference(-1) },
      'MATCHED',
      firstId,
    )
    const decision = { outcome: 'DELIVERED', reason: 'Seen', evidence: { statementEntryIds: [line(-100)] } }
    const openPayment = (await matching.gives(bank, 100)).id
    expectError(await getClient().post(`/transactions/${openPayment}/decide`, decision, matching.key()), {
      code: 'INVALID_INPUT',
      field: 'evidence.statementEntryIds',
    })
    const booking = runCommand(
      matching.world.service.app,
      ['reconciliation', 'book', '--entry', line(-100), '--as', 'costs'],
      '',
    )
    await expect(booking).rejects.toThrow(id)
  })

  test('if it names an open payment, a booked fee, a payment without lines, or a line without its payment', async () => {
    const bank = new ModelBank(matching.world)
    const namedPayment = await matching.pays(bank, 70)
    bank.book(dateBefore(0), { kind: 'PAYMENT', id: namedPayment, amount: '-71' })
    bank.book(dateBefore(0), { kind: 'FEE', amount: '-3' })
    const line = await matching.states(bank, [[-90]])
    const openPayment = (await matching.gives(bank, 90)).id
    const [namedLine] = await matching.linesOf(namedPayment)
    const otherBank = new ModelBank(matching.world)
    const otherLine = (await matching.states(otherBank, [[-90]]))(-90)
    const fee = await findFeeLine(bank)
    const cases: readonly (readonly [object, string, string])[] = [
      [{ statementEntryIds: [line(-90)], paymentIds: [openPayment] }, 'PAYMENT_OPEN', openPayment],
      [{ statementEntryIds: [namedLine], ...difference(-71) }, 'PAYMENT_MISSING', namedLine!],
      [{ statementEntryIds: [line(-90), fee] }, 'BOOKED', fee],
      [
        { rail: otherBank.name, statementEntryIds: [otherLine], paymentIds: [namedPayment] },
        'NOTHING_BOOKED',
        namedPayment,
      ],
    ]
    for (const [body, reason, id] of cases) {
      const reply = await matching.match(bank, body)
      expectError(reply, { code: 'RECORDS_NOT_MATCHABLE' })
      expect(reply.body.details).toEqual({ reason, id })
    }
    expectError(await matching.match(bank, { statementEntryIds: [line(-90), otherLine] }), {
      code: 'INVALID_INPUT',
      field: 'statementEntryIds',
    })
  })

  test('if its difference, currency, rail or account is wrong', async () => {
    const bank = new ModelBank(matching.world)
    const id = await matching.pays(bank, 40)
    const line = await matching.states(bank, [[-43]])
    const lines = { statementEntryIds: [line(-43)], paymentIds: [id] }
    const cases: readonly (readonly [object, string, string])[] = [
      [lines, 'INVALID_INPUT', 'difference'],
      [{ ...lines, ...difference(-4) }, 'INVALID_INPUT', 'difference.amount'],
      [{ ...lines, ...difference(3) }, 'INVALID_INPUT', 'difference.amount'],
      [{ ...lines, ...difference(-3), currency: 'XYZ' }, 'INVALID_CURRENCY', 'currency'],
      [
        { ...lines, paymentIds: [], ...difference(-3), currency: 'USD' },
        'INVALID_INPUT',
        'statementEntryIds',
      ],
      [{ ...lines, paymentIds: [], rail: 'another' }, 'INVALID_INPUT', 'statementEntryIds'],
      [{ ...lines, ...difference(-3, 'suspense') }, 'INVALID_INPUT', 'difference.account'],
    ]
    for (const [body, code, field] of cases)
      expectError(await matching.match(bank, body), { code: code as 'INVALID_INPUT', field })
  })

  test('for callers without the permission, and for other platforms, which see nothing of it', async () => {
    const bank = new ModelBank(matching.world)
    const line = await matching.states(bank, [[-6]])
    const body = { statementEntryIds: [line(-6)], ...difference(-6) }
    const { browser } = await newMember(getClient(), ['VIEW', 'MANAGE'], 'Ada', { hasPasskey: true })
    expectError(await matching.match(bank, body, browser), { code: 'FORBIDDEN' })
    const { id } = await matched(matching.match(bank, body))
    expectError(await matching.undo(id, browser), { code: 'FORBIDDEN' })
    expectError(await browser.post(`/reconciliation-matches/${id}/close`), { code: 'FORBIDDEN' })
    const stranger = await matching.world.service.newPlatform()
    expectError(await matching.match(bank, body, stranger), {
      code: 'INVALID_INPUT',
      field: 'statementEntryIds',
    })
    expectError(await matching.undo(id, stranger), { code: 'RECONCILIATION_MATCH_NOT_FOUND' })
    expectError(await stranger.post(`/reconciliation-matches/${id}/close`), {
      code: 'RECONCILIATION_MATCH_NOT_FOUND',
    })
    expect((await stranger.get('/reconciliation-matches')).body.data).toEqual([])
    const day = await matching.day(bank)
    expectError(await stranger.get(`/reconciliations/${day.id}/match-suggestions`), {
      code: 'RECONCILIATION_NOT_FOUND',
    })
  })
})

test('no commit writes a match whose sums differ from its lines, or an undone match that keeps its lines', async () => {
  const bank = new ModelBank(matching.world)
  const line = await matching.states(bank, [[-17]])
  const { id } = await matched(matching.match(bank, { statementEntryIds: [line(-17)], ...difference(-17) }))
  const { committer } = matching.world.service.app
  const changeMatch = (set: Partial<ReconciliationMatchRow>) =>
    committer.commit([update('reconciliation_matches', id, {}, set)])
  const invalidChanges: Partial<ReconciliationMatchRow>[] = [
    { line_sum: -18n },
    { book_sum: -1n },
    { lines: [line(-17), line(-17)] },
    { rail: 'another' },
    { state: 'UNDONE', undo_reason: 'Keeps its lines' },
  ]
  for (const set of invalidChanges)
    expect(await changeMatch(set), Object.keys(set)[0]).toMatchObject({ done: false, guard: 'expectation' })
  expect(await changeMatch({ state: 'MATCHED' })).toEqual({ done: true })
  expect((await matching.undo(id)).body).toMatchObject({ status: 'UNDONE' })
})

async function findFeeLine({ name }: ModelBank): Promise<string> {
  const { rows } = await matching.world.service.app.db.query<{ id: string }>(
    `SELECT e.id FROM rail_statement_entries AS e JOIN rail_statements AS s ON s.id = e.statement_id
     WHERE s.rail = $1 AND e.kind = 'FEE'`,
    [name],
  )
  return String(rows[0]?.id)
}
