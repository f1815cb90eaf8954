import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import type { BooksReport } from '../../../src/operation/proofs/verify.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  bodyOf,
  difference,
  MatchingWorld,
  matched,
  REASON,
} from '../../worlds/production/matches.testing.ts'
import { dateBefore, ModelBank, openProduction } from '../../worlds/production/production.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'

let at: MatchingWorld
beforeAll(async () => {
  at = await MatchingWorld.open(await openProduction())
})
afterAll(() => at.world.close())

const client = () => at.world.client

const BALANCED = { status: 'BALANCED', difference: 0, differenceCount: 0, differences: [] }

/** The changes of the balances of a rail and of an account of the platform. */
async function moved(bank: ModelBank, account: string, work: () => Promise<unknown>) {
  const before = await at.books()
  await work()
  const after = await at.books()
  const by = (name: string) => Number((after[name] ?? 0n) - (before[name] ?? 0n))
  return [by(`rail:${bank.name}`), by(account)]
}

describe('lines and payments that belong together', () => {
  test('a batch that a bank has booked as one sum closes the difference of the line and of each payment', {
    tags: 'smoke',
  }, async () => {
    const bank = new ModelBank(at.world)
    const [one, other] = [await at.pays(bank, 600), await at.pays(bank, 400)]
    const line = await at.states(bank, [[-1000, 'Collective order']])
    const before = await at.day(bank)
    expect(before.differences.map(({ reason }: Reply['body']) => reason).sort()).toEqual([
      'NOT_IN_STATEMENT',
      'NOT_IN_STATEMENT',
      'UNEXPLAINED',
    ])
    const body = await matched(at.match(bank, { statementEntryIds: [line(-1000)], paymentIds: [one, other] }))
    expect(body).toMatchObject({
      status: 'MATCHED',
      rail: bank.name,
      currency: { code: 'EUR' },
      statementEntryIds: [line(-1000)],
      lineSum: -1000,
      bookSum: -1000,
      reason: REASON,
      matchedBy: { type: 'TOKEN' },
    })
    expect([...body.paymentIds].sort()).toEqual([one, other].sort())
    expect(body).not.toHaveProperty('difference')
    expect(await at.day(bank)).toMatchObject(BALANCED)
    const { data } = (await client().get(`/reconciliation-matches?rail=${bank.name}&status=MATCHED`)).body
    expect(data).toEqual([body])
  })

  test('a line and its reversal are matched without a payment', async () => {
    const bank = new ModelBank(at.world)
    const line = await at.states(bank, [
      [-730, 'Wrong order'],
      [730, 'Storno'],
    ])
    await matched(at.match(bank, { statementEntryIds: [line(-730), line(730)] }))
    expect(await at.day(bank)).toMatchObject(BALANCED)
  })

  test('a payment that was booked twice is matched with the reversal, and all lines that name it are part of the match', async () => {
    const bank = new ModelBank(at.world)
    const id = await at.pays(bank, 250)
    for (let n = 0; n < 2; n++) bank.book(dateBefore(0), { kind: 'PAYMENT', id, amount: '-250' })
    const line = await at.states(bank, [[250, 'Storno of a double booking']])
    const body = await matched(at.match(bank, { statementEntryIds: [line(250)], paymentIds: [id] }))
    expect(body).toMatchObject({ lineSum: -250, bookSum: -250 })
    expect(body.statementEntryIds).toHaveLength(3)
    expect(await at.day(bank)).toMatchObject(BALANCED)
  })

  test.each([
    ['costs', -30, 30],
    ['receivables', -30, 30],
    ['fx', 45, 45],
  ])('what a line has more or less than its payment is booked to %s: %i', async (account, more, gain) => {
    const bank = new ModelBank(at.world)
    const id = await at.pays(bank, 500)
    bank.book(dateBefore(0), { kind: 'PAYMENT', id, amount: String(-500 + more) })
    await at.closes(bank)
    const { differences } = await at.day(bank)
    expect(differences).toMatchObject([{ reason: 'OTHER_AMOUNT', amount: more, about: id }])
    // The line that names the payment is part of the match by that.
    const request = { paymentIds: [id], ...difference(more, account) }
    const [rail, other] = await moved(bank, account, () => matched(at.match(bank, request)))
    expect([rail, other]).toEqual([more, gain])
    expect(await at.day(bank)).toMatchObject(BALANCED)
  })

  test('several lines and several payments and a deposit are one match, and what is left is booked once', async () => {
    const bank = new ModelBank(at.world)
    const [one, other] = [await at.pays(bank, 610), await at.pays(bank, 390)]
    const deposit = await bank.receives(5000)
    const line = await at.states(bank, [[-700], [-290], [4980]])
    const lines = [line(-700), line(-290), line(4980)]
    const request = { statementEntryIds: lines, paymentIds: [one, other, deposit], ...difference(-10) }
    const [rail, costs] = await moved(bank, 'costs', () => matched(at.match(bank, request)))
    expect([rail, costs]).toEqual([-10, 10])
    expect(await at.day(bank)).toMatchObject(BALANCED)
    expect((await client().get(`/deposits/${deposit}`)).body).toMatchObject({
      status: 'SUSPENSE',
      amount: { amount: 5000 },
    })
  })

  test('a match leaves a trace: the audit trail has it, and its booking is explained by it', async () => {
    const bank = new ModelBank(at.world)
    const line = await at.states(bank, [[-11, 'Bank charge']])
    const { id } = await matched(at.match(bank, { statementEntryIds: [line(-11)], ...difference(-11) }))
    const audit = (await client().get(`/audit-events?objectId=${id}`)).body.data
    expect(audit.map(({ operation }: Reply['body']) => operation)).toEqual(['reconciliation_match_create'])
    const { data } = (await client().get(`/ledger/transfers?cause=${id}`)).body
    expect(data).toMatchObject([{ amount: { amount: 11 }, cause: { type: 'match', id } }])
    const { steps } = (await client().get(`/ledger/transfers/${data[0].id}/explain`)).body
    expect(steps[1].summary).toContain('GET /reconciliation-matches')
  })
})

describe('a match is undone until it is closed', () => {
  test('and then the differences are open again, and the booking is taken back', async () => {
    const bank = new ModelBank(at.world)
    const id = await at.pays(bank, 800)
    const line = await at.states(bank, [[-830]])
    const request = { statementEntryIds: [line(-830)], paymentIds: [id], ...difference(-30) }
    const before = await at.books()
    const first = await matched(at.match(bank, request))
    const undone = await at.undo(first.id)
    expect(undone, toJson(undone.body)).toMatchObject({
      status: 200,
      body: { id: first.id, status: 'UNDONE', undoReason: 'A mistake' },
    })
    expect(await at.books()).toEqual(before)
    const day = await at.day(bank)
    expect(day.differences.map(({ amount }: Reply['body']) => amount).sort()).toEqual([-830, 800].sort())
    expectError(await at.undo(first.id), { code: 'INVALID_STATE_TRANSITION' })
    const second = await matched(at.match(bank, request))
    expect(second.id).not.toBe(first.id)
    await at.undo(second.id)
    const third = { statementEntryIds: [line(-830)], paymentIds: [id], ...difference(-30, 'receivables') }
    await matched(at.match(bank, third))
    expect(await at.day(bank)).toMatchObject(BALANCED)
  })

  test('and not afterwards', async () => {
    const bank = new ModelBank(at.world)
    const line = await at.states(bank, [[-5]])
    const { id } = await matched(at.match(bank, { statementEntryIds: [line(-5)], ...difference(-5) }))
    const path = `/reconciliation-matches/${id}/close`
    expect(await client().post(path)).toMatchObject({ status: 200, body: { status: 'CLOSED' } })
    const refused = await at.undo(id)
    expectError(refused, { code: 'INVALID_STATE_TRANSITION' })
    expect(refused.body.details).toMatchObject({ status: 'CLOSED' })
    expectError(await client().post(path), { code: 'INVALID_STATE_TRANSITION' })
    expect(await at.day(bank)).toMatchObject(BALANCED)
  })
})

describe('a match is made once', () => {
  test('of fifty who match the same line at the same time one does, and of fifty who undo it one', async () => {
    const bank = new ModelBank(at.world)
    const payments = [await at.pays(bank, 300), await at.pays(bank, 300)]
    const line = await at.states(bank, [[-302]])
    const fifty = Array.from({ length: 50 }, (_, n) => n)
    const [rail, costs] = await moved(bank, 'costs', async () => {
      const replies = await Promise.all(
        fifty.map((n) =>
          at.match(bank, {
            statementEntryIds: [line(-302)],
            paymentIds: [payments[n % 2]],
            ...difference(-2),
          }),
        ),
      )
      const made = replies.filter(({ status }) => status === 201)
      expect(made).toHaveLength(1)
      for (const { status, body } of replies)
        if (status !== 201) expect(body.code).toBe('RECORDS_NOT_MATCHABLE')
      const undone = await Promise.all(fifty.map(() => at.undo(made[0]!.body.id)))
      expect(undone.filter(({ status }) => status === 200)).toHaveLength(1)
    })
    expect([rail, costs]).toEqual([0, 0])
  })

  test('a repeated call gets the first response, and books nothing again', async () => {
    const bank = new ModelBank(at.world)
    const line = await at.states(bank, [[-8]])
    const body = bodyOf(bank, { statementEntryIds: [line(-8)], ...difference(-8) })
    const key = at.key()
    const first = await client().post('/reconciliation-matches', body, key)
    expect(first.status).toBe(201)
    const [rail] = await moved(bank, 'costs', async () => {
      expect((await client().post('/reconciliation-matches', body, key)).body).toEqual(first.body)
    })
    expect(rail).toBe(0)
    const path = `/reconciliation-matches/${first.body.id}/undo`
    const undoKey = at.key()
    const undone = await client().post(path, { reason: 'A mistake' }, undoKey)
    expect(undone.body).toMatchObject({ status: 'UNDONE' })
    expect((await client().post(path, { reason: 'A mistake' }, undoKey)).body).toEqual(undone.body)
  })

  test('a later booking of the bank is a difference of the match', async () => {
    const bank = new ModelBank(at.world)
    const id = await at.pays(bank, 90)
    const line = await at.states(bank, [[-91]])
    const match = await matched(
      at.match(bank, { statementEntryIds: [line(-91)], paymentIds: [id], ...difference(-1) }),
    )
    const { differences } = await at.day(bank)
    expect(differences).toEqual([])
    await bank.tell(
      bank.event('payment.returned', {
        id,
        failure: { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'Back' },
      }),
    )
    const later = await until(
      () => at.day(bank),
      ({ differences }) => differences.length > 0,
    )
    expect(later.differences).toMatchObject([{ about: match.id, amount: -90 }])
  })
})

test('if two members have to approve, the match is made by the second who sends the same, and undone so', async () => {
  const bank = new ModelBank(at.world)
  const line = await at.states(bank, [[-21]])
  const ada = await newMember(client(), ['VIEW', 'APPROVE'], 'Ada', { hasPasskey: true })
  const grace = await newMember(client(), ['VIEW', 'APPROVE'], 'Grace', { hasPasskey: true })
  const config = (approvalsRequired: number) => client().send('PATCH', '/config', { approvalsRequired })
  await config(2)
  const body = { statementEntryIds: [line(-21)], ...difference(-21) }
  const [rail] = await moved(bank, 'costs', async () => {
    expectError(await at.match(bank, body), { code: 'FORBIDDEN' })
    const proposed = await matched(at.match(bank, body, ada.browser))
    expect(proposed).toMatchObject({ status: 'PROPOSED', matchedBy: { name: 'Ada' } })
    // A vote for another account is another proposal, and a second one by the same member counts once.
    const other = await matched(at.match(bank, { ...body, ...difference(-21, 'receivables') }, grace.browser))
    expect(other).toMatchObject({ status: 'PROPOSED' })
    expect((await matched(at.match(bank, body, ada.browser))).id).toBe(proposed.id)
    const made = await matched(at.match(bank, body, grace.browser))
    expect(made).toMatchObject({ id: proposed.id, status: 'MATCHED' })
    expect(await at.day(bank)).toMatchObject(BALANCED)
    expect((await at.undo(other.id, grace.browser)).body).toMatchObject({ status: 'UNDONE' })
    expectError(await at.undo(made.id), { code: 'FORBIDDEN' })
    expect((await at.undo(made.id, ada.browser)).body).toMatchObject({ status: 'MATCHED' })
    expect((await at.undo(made.id, grace.browser)).body).toMatchObject({ status: 'UNDONE' })
  })
  await config(1)
  expect(rail).toBe(0)
})

test('suggestions find the batch, the reversal and the charge, and nothing twice', async () => {
  const bank = new ModelBank(at.world)
  const [one, other, single, less] = [
    await at.pays(bank, 610),
    await at.pays(bank, 390),
    await at.pays(bank, 77),
    await at.pays(bank, 500),
  ]
  bank.book(dateBefore(0), { kind: 'PAYMENT', id: less, amount: '-512' })
  const line = await at.states(bank, [[-1000, 'Collective order'], [-77, 'Order'], [-45], [45, 'Storno']])
  const day = await at.day(bank)
  const { data } = (await client().get(`/reconciliations/${day.id}/match-suggestions`)).body
  const byKind = Object.fromEntries(data.map((one: Reply['body']) => [one.kind, one]))
  expect(data).toHaveLength(4)
  expect(byKind.BATCH).toMatchObject({
    statementEntryIds: [line(-1000)],
    difference: 0,
    signs: ['AMOUNT', 'DATE'],
  })
  expect([...byKind.BATCH.paymentIds].sort()).toEqual([one, other].sort())
  expect(byKind.PAYMENT).toMatchObject({ statementEntryIds: [line(-77)], paymentIds: [single] })
  expect([...byKind.REVERSAL.statementEntryIds].sort()).toEqual([line(-45), line(45)].sort())
  expect(byKind.CHARGE).toMatchObject({ paymentIds: [less], difference: -12, account: 'costs' })
  // Each suggestion is a match as it is.
  for (const { statementEntryIds, paymentIds, difference: amount, account } of data)
    await matched(
      at.match(bank, { statementEntryIds, paymentIds, ...(account ? difference(amount, account) : {}) }),
    )
  expect(await at.day(bank)).toMatchObject(BALANCED)
})

test('the books are proved, matches and all', async () => {
  const { findings } = (await runCommand(at.world.service.app, ['books', 'verify'], '')) as BooksReport
  expect(findings).toEqual([])
})
