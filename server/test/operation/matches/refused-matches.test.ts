import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { update } from '../../../src/storage/commit/writes.ts'
import type { ReconciliationMatchRow } from '../../../src/storage/rows/reconciliation.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { difference, MatchingWorld, matched } from '../../worlds/production/matches.testing.ts'
import { dateBefore, ModelBank, openProduction } from '../../worlds/production/production.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'

let at: MatchingWorld
beforeAll(async () => {
  at = await MatchingWorld.open(await openProduction())
})
afterAll(() => at.world.close())

const client = () => at.world.client

describe('a match is refused', () => {
  test('if it names an id that no record can have', async () => {
    const reply = await client().post('/reconciliation-matches', {
      rail: 'anything',
      currency: 'EUR',
      paymentIds: ['Deposit:0198c0de-0000-7000-8236-000000000017'],
      reason: 'The bank has kept a charge',
    })
    expectError(reply, { code: 'INVALID_INPUT', field: 'paymentIds' })
  })

  test('if a line or a payment is in another one', async () => {
    const bank = new ModelBank(at.world)
    const [one, other] = [await at.pays(bank, 100), await at.pays(bank, 100)]
    const line = await at.states(bank, [[-100], [-101]])
    const { id } = await matched(at.match(bank, { statementEntryIds: [line(-100)], paymentIds: [one] }))
    const refused = async (body: object, reason: string, about: string) => {
      const reply = await at.match(bank, body)
      expectError(reply, { code: 'RECORDS_NOT_MATCHABLE' })
      expect(reply.body.details).toEqual({ reason, id: about })
    }
    await refused({ statementEntryIds: [line(-100)], paymentIds: [other] }, 'MATCHED', line(-100))
    await refused({ statementEntryIds: [line(-101)], paymentIds: [one], ...difference(-1) }, 'MATCHED', one)
    const decision = { outcome: 'DELIVERED', reason: 'Seen', evidence: { statementEntryIds: [line(-100)] } }
    const open = (await at.gives(bank, 100)).id
    expectError(await client().post(`/transactions/${open}/decide`, decision, at.key()), {
      code: 'INVALID_INPUT',
      field: 'evidence.statementEntryIds',
    })
    const book = runCommand(
      at.world.service.app,
      ['reconciliation', 'book', '--entry', line(-100), '--as', 'costs'],
      '',
    )
    await expect(book).rejects.toThrow(id)
  })

  test('if it names too little: a payment that has not ended, one without lines and bookings, a line of another payment', async () => {
    const bank = new ModelBank(at.world)
    const named = await at.pays(bank, 70)
    bank.book(dateBefore(0), { kind: 'PAYMENT', id: named, amount: '-71' })
    bank.book(dateBefore(0), { kind: 'FEE', amount: '-3' })
    const line = await at.states(bank, [[-90]])
    const open = (await at.gives(bank, 90)).id
    const [ofNamed] = await at.linesOf(named)
    const elsewhere = new ModelBank(at.world)
    const other = (await at.states(elsewhere, [[-90]]))(-90)
    const fee = await feeOf(bank)
    const cases: readonly (readonly [object, string, string])[] = [
      [{ statementEntryIds: [line(-90)], paymentIds: [open] }, 'PAYMENT_OPEN', open],
      [{ statementEntryIds: [ofNamed], ...difference(-71) }, 'PAYMENT_MISSING', ofNamed!],
      [{ statementEntryIds: [line(-90), fee] }, 'BOOKED', fee],
      [{ rail: elsewhere.name, statementEntryIds: [other], paymentIds: [named] }, 'NOTHING_BOOKED', named],
    ]
    for (const [body, reason, id] of cases) {
      const reply = await at.match(bank, body)
      expectError(reply, { code: 'RECORDS_NOT_MATCHABLE' })
      expect(reply.body.details).toEqual({ reason, id })
    }
    expectError(await at.match(bank, { statementEntryIds: [line(-90), other] }), {
      code: 'INVALID_INPUT',
      field: 'statementEntryIds',
    })
  })

  test('if it names another difference than there is', async () => {
    const bank = new ModelBank(at.world)
    const id = await at.pays(bank, 40)
    const line = await at.states(bank, [[-43]])
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
      expectError(await at.match(bank, body), { code: code as 'INVALID_INPUT', field })
  })

  test('to those without the permission, and to other platforms, which see nothing of it', async () => {
    const bank = new ModelBank(at.world)
    const line = await at.states(bank, [[-6]])
    const body = { statementEntryIds: [line(-6)], ...difference(-6) }
    const { browser } = await newMember(client(), ['VIEW', 'MANAGE'], 'Ada', { hasPasskey: true })
    expectError(await at.match(bank, body, browser), { code: 'FORBIDDEN' })
    const { id } = await matched(at.match(bank, body))
    expectError(await at.undo(id, browser), { code: 'FORBIDDEN' })
    expectError(await browser.post(`/reconciliation-matches/${id}/close`), { code: 'FORBIDDEN' })
    const stranger = await at.world.service.newPlatform()
    expectError(await at.match(bank, body, stranger), { code: 'INVALID_INPUT', field: 'statementEntryIds' })
    expectError(await at.undo(id, stranger), { code: 'RECONCILIATION_MATCH_NOT_FOUND' })
    expectError(await stranger.post(`/reconciliation-matches/${id}/close`), {
      code: 'RECONCILIATION_MATCH_NOT_FOUND',
    })
    expect((await stranger.get('/reconciliation-matches')).body.data).toEqual([])
    const day = await at.day(bank)
    expectError(await stranger.get(`/reconciliations/${day.id}/match-suggestions`), {
      code: 'RECONCILIATION_NOT_FOUND',
    })
  })
})

test('no commit writes a match whose sums are not those of its lines, or an undone one that keeps its lines', async () => {
  const bank = new ModelBank(at.world)
  const line = await at.states(bank, [[-17]])
  const { id } = await matched(at.match(bank, { statementEntryIds: [line(-17)], ...difference(-17) }))
  const { committer } = at.world.service.app
  const change = (set: Partial<ReconciliationMatchRow>) =>
    committer.commit([update('reconciliation_matches', id, {}, set)])
  const wrong: Partial<ReconciliationMatchRow>[] = [
    { line_sum: -18n },
    { book_sum: -1n },
    { lines: [line(-17), line(-17)] },
    { rail: 'another' },
    { state: 'UNDONE', undo_reason: 'Keeps its lines' },
  ]
  for (const set of wrong)
    expect(await change(set), Object.keys(set)[0]).toMatchObject({ done: false, guard: 'expectation' })
  expect(await change({ state: 'MATCHED' })).toEqual({ done: true })
  expect((await at.undo(id)).body).toMatchObject({ status: 'UNDONE' })
})

/** The line of the fee of a bank. */
async function feeOf({ name }: ModelBank): Promise<string> {
  const { rows } = await at.world.service.app.db.query<{ id: string }>(
    `SELECT e.id FROM rail_statement_entries AS e JOIN rail_statements AS s ON s.id = e.statement_id
     WHERE s.rail = $1 AND e.kind = 'FEE'`,
    [name],
  )
  return String(rows[0]?.id)
}
