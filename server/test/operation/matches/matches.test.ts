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

let matching: MatchingWorld
beforeAll(async () => {
  matching = await MatchingWorld.open(await openProduction())
})
afterAll(() => matching.world.close())

const getClient = () => matching.world.client

const BALANCED = { status: 'BALANCED', difference: 0, differenceCount: 0, differences: [] }

/** Returns the changes that the work makes to the balances of a rail and of a platform account. */
async function measureChanges(bank: ModelBank, account: string, work: () => Promise<unknown>) {
  const before = await matching.books()
  await work()
  const after = await matching.books()
  const readChange = (name: string) => Number((after[name] ?? 0n) - (before[name] ?? 0n))
  return [readChange(`rail:${bank.name}`), readChange(account)]
}

describe('a match of lines and payments', () => {
  test('closes the differences of a batch that the bank booked as one sum', {
    tags: 'smoke',
  }, async () => {
    const bank = new ModelBank(matching.world)
    const [firstId, secondId] = [await matching.pays(bank, 600), await matching.pays(bank, 400)]
    const line = await matching.states(bank, [[-1000, 'Collective order']])
    const before = await matching.day(bank)
    expect(before.differences.map(({ reason }: Reply['body']) => reason).sort()).toEqual([
      'NOT_IN_STATEMENT',
      'NOT_IN_STATEMENT',
      'UNEXPLAINED',
    ])
    const body = await matched(
      matching.match(bank, { statementEntryIds: [line(-1000)], paymentIds: [firstId, secondId] }),
    )
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
    expect([...body.paymentIds].sort()).toEqual([firstId, secondId].sort())
    expect(body).not.toHaveProperty('difference')
    expect(await matching.day(bank)).toMatchObject(BALANCED)
    const { data } = (await getClient().get(`/reconciliation-matches?rail=${bank.name}&status=MATCHED`)).body
    expect(data).toEqual([body])
  })

  test('joins a line and its reversal without a payment', async () => {
    const bank = new ModelBank(matching.world)
    const line = await matching.states(bank, [
      [-730, 'Wrong order'],
      [730, 'Storno'],
    ])
    await matched(matching.match(bank, { statementEntryIds: [line(-730), line(730)] }))
    expect(await matching.day(bank)).toMatchObject(BALANCED)
  })

  test('joins a payment that was booked twice with the reversal, and includes all lines that name the payment', async () => {
    const bank = new ModelBank(matching.world)
    const id = await matching.pays(bank, 250)
    for (let n = 0; n < 2; n++) bank.book(dateBefore(0), { kind: 'PAYMENT', id, amount: '-250' })
    const line = await matching.states(bank, [[250, 'Storno of a double booking']])
    const body = await matched(matching.match(bank, { statementEntryIds: [line(250)], paymentIds: [id] }))
    expect(body).toMatchObject({ lineSum: -250, bookSum: -250 })
    expect(body.statementEntryIds).toHaveLength(3)
    expect(await matching.day(bank)).toMatchObject(BALANCED)
  })

  test.each([
    ['costs', -30, 30],
    ['receivables', -30, 30],
    ['fx', 45, 45],
  ])('books the difference between a line and its payment to %s: %i', async (account, extra, gain) => {
    const bank = new ModelBank(matching.world)
    const id = await matching.pays(bank, 500)
    bank.book(dateBefore(0), { kind: 'PAYMENT', id, amount: String(-500 + extra) })
    await matching.closes(bank)
    const { differences } = await matching.day(bank)
    expect(differences).toMatchObject([{ reason: 'OTHER_AMOUNT', amount: extra, about: id }])
    // The line that names the payment belongs to the match automatically.
    const request = { paymentIds: [id], ...difference(extra, account) }
    const [rail, accountChange] = await measureChanges(bank, account, () =>
      matched(matching.match(bank, request)),
    )
    expect([rail, accountChange]).toEqual([extra, gain])
    expect(await matching.day(bank)).toMatchObject(BALANCED)
  })

  test('joins several lines, several payments and a deposit, and books the remainder once', async () => {
    const bank = new ModelBank(matching.world)
    const [firstId, secondId] = [await matching.pays(bank, 610), await matching.pays(bank, 390)]
    const deposit = await bank.receives(5000)
    const line = await matching.states(bank, [[-700], [-290], [4980]])
    const lines = [line(-700), line(-290), line(4980)]
    const request = { statementEntryIds: lines, paymentIds: [firstId, secondId, deposit], ...difference(-10) }
    const [rail, costs] = await measureChanges(bank, 'costs', () => matched(matching.match(bank, request)))
    expect([rail, costs]).toEqual([-10, 10])
    expect(await matching.day(bank)).toMatchObject(BALANCED)
    expect((await getClient().get(`/deposits/${deposit}`)).body).toMatchObject({
      status: 'SUSPENSE',
      amount: { amount: 5000 },
    })
  })

  test('appears in the audit trail, and explains its booking', async () => {
    const bank = new ModelBank(matching.world)
    const line = await matching.states(bank, [[-11, 'Bank charge']])
    const { id } = await matched(matching.match(bank, { statementEntryIds: [line(-11)], ...difference(-11) }))
    const audit = (await getClient().get(`/audit-events?objectId=${id}`)).body.data
    expect(audit.map(({ operation }: Reply['body']) => operation)).toEqual(['reconciliation_match_create'])
    const { data } = (await getClient().get(`/ledger/transfers?cause=${id}`)).body
    expect(data).toMatchObject([{ amount: { amount: 11 }, cause: { type: 'match', id } }])
    const { steps } = (await getClient().get(`/ledger/transfers/${data[0].id}/explain`)).body
    expect(steps[1].summary).toContain('GET /reconciliation-matches')
  })
})

describe('undoing a match', () => {
  test('reopens its differences and reverses its booking', async () => {
    const bank = new ModelBank(matching.world)
    const id = await matching.pays(bank, 800)
    const line = await matching.states(bank, [[-830]])
    const request = { statementEntryIds: [line(-830)], paymentIds: [id], ...difference(-30) }
    const before = await matching.books()
    const first = await matched(matching.match(bank, request))
    const undoReply = await matching.undo(first.id)
    expect(undoReply, toJson(undoReply.body)).toMatchObject({
      status: 200,
      body: { id: first.id, status: 'UNDONE', undoReason: 'A mistake' },
    })
    expect(await matching.books()).toEqual(before)
    const day = await matching.day(bank)
    expect(day.differences.map(({ amount }: Reply['body']) => amount).sort()).toEqual([-830, 800].sort())
    expectError(await matching.undo(first.id), { code: 'INVALID_STATE_TRANSITION' })
    const second = await matched(matching.match(bank, request))
    expect(second.id).not.toBe(first.id)
    await matching.undo(second.id)
    const third = { statementEntryIds: [line(-830)], paymentIds: [id], ...difference(-30, 'receivables') }
    await matched(matching.match(bank, third))
    expect(await matching.day(bank)).toMatchObject(BALANCED)
  })

  test('is refused once the match is closed', async () => {
    const bank = new ModelBank(matching.world)
    const line = await matching.states(bank, [[-5]])
    const { id } = await matched(matching.match(bank, { statementEntryIds: [line(-5)], ...difference(-5) }))
    const path = `/reconciliation-matches/${id}/close`
    expect(await getClient().post(path)).toMatchObject({ status: 200, body: { status: 'CLOSED' } })
    const refusal = await matching.undo(id)
    expectError(refusal, { code: 'INVALID_STATE_TRANSITION' })
    expect(refusal.body.details).toMatchObject({ status: 'CLOSED' })
    expectError(await getClient().post(path), { code: 'INVALID_STATE_TRANSITION' })
    expect(await matching.day(bank)).toMatchObject(BALANCED)
  })
})

describe('an existing match', () => {
  test('is created by one of fifty parallel requests, and undone by one of fifty', async () => {
    const bank = new ModelBank(matching.world)
    const payments = [await matching.pays(bank, 300), await matching.pays(bank, 300)]
    const line = await matching.states(bank, [[-302]])
    const fifty = Array.from({ length: 50 }, (_, n) => n)
    const [rail, costs] = await measureChanges(bank, 'costs', async () => {
      const replies = await Promise.all(
        fifty.map((n) =>
          matching.match(bank, {
            statementEntryIds: [line(-302)],
            paymentIds: [payments[n % 2]],
            ...difference(-2),
          }),
        ),
      )
      const createdMatch = replies.filter(({ status }) => status === 201)
      expect(createdMatch).toHaveLength(1)
      for (const { status, body } of replies)
        if (status !== 201) expect(body.code).toBe('RECORDS_NOT_MATCHABLE')
      const undoReply = await Promise.all(fifty.map(() => matching.undo(createdMatch[0]!.body.id)))
      expect(undoReply.filter(({ status }) => status === 200)).toHaveLength(1)
    })
    expect([rail, costs]).toEqual([0, 0])
  })

  test('is returned again to a repeated request, which books nothing', async () => {
    const bank = new ModelBank(matching.world)
    const line = await matching.states(bank, [[-8]])
    const body = bodyOf(bank, { statementEntryIds: [line(-8)], ...difference(-8) })
    const key = matching.key()
    const first = await getClient().post('/reconciliation-matches', body, key)
    expect(first.status).toBe(201)
    const [rail] = await measureChanges(bank, 'costs', async () => {
      expect((await getClient().post('/reconciliation-matches', body, key)).body).toEqual(first.body)
    })
    expect(rail).toBe(0)
    const path = `/reconciliation-matches/${first.body.id}/undo`
    const undoKey = matching.key()
    const undoReply = await getClient().post(path, { reason: 'A mistake' }, undoKey)
    expect(undoReply.body).toMatchObject({ status: 'UNDONE' })
    expect((await getClient().post(path, { reason: 'A mistake' }, undoKey)).body).toEqual(undoReply.body)
  })

  test('shows a later booking of the bank as its difference', async () => {
    const bank = new ModelBank(matching.world)
    const id = await matching.pays(bank, 90)
    const line = await matching.states(bank, [[-91]])
    const match = await matched(
      matching.match(bank, { statementEntryIds: [line(-91)], paymentIds: [id], ...difference(-1) }),
    )
    const { differences } = await matching.day(bank)
    expect(differences).toEqual([])
    await bank.tell(
      bank.event('payment.returned', {
        id,
        failure: { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'Back' },
      }),
    )
    const laterDay = await until(
      () => matching.day(bank),
      ({ differences }) => differences.length > 0,
    )
    expect(laterDay.differences).toMatchObject([{ about: match.id, amount: -90 }])
  })
})

test('if two members have to approve, the second identical request creates a match or undoes it', async () => {
  const bank = new ModelBank(matching.world)
  const line = await matching.states(bank, [[-21]])
  const ada = await newMember(getClient(), ['VIEW', 'APPROVE'], 'Ada', { hasPasskey: true })
  const grace = await newMember(getClient(), ['VIEW', 'APPROVE'], 'Grace', { hasPasskey: true })
  const setApprovals = (approvalsRequired: number) =>
    getClient().send('PATCH', '/config', { approvalsRequired })
  await setApprovals(2)
  const body = { statementEntryIds: [line(-21)], ...difference(-21) }
  const [rail] = await measureChanges(bank, 'costs', async () => {
    expectError(await matching.match(bank, body), { code: 'FORBIDDEN' })
    const proposedMatch = await matched(matching.match(bank, body, ada.browser))
    expect(proposedMatch).toMatchObject({ status: 'PROPOSED', matchedBy: { name: 'Ada' } })
    // A vote for another account is a separate proposal. A repeated vote by the same member counts once.
    const otherProposal = await matched(
      matching.match(bank, { ...body, ...difference(-21, 'receivables') }, grace.browser),
    )
    expect(otherProposal).toMatchObject({ status: 'PROPOSED' })
    expect((await matched(matching.match(bank, body, ada.browser))).id).toBe(proposedMatch.id)
    const createdMatch = await matched(matching.match(bank, body, grace.browser))
    expect(createdMatch).toMatchObject({ id: proposedMatch.id, status: 'MATCHED' })
    expect(await matching.day(bank)).toMatchObject(BALANCED)
    expect((await matching.undo(otherProposal.id, grace.browser)).body).toMatchObject({ status: 'UNDONE' })
    expectError(await matching.undo(createdMatch.id), { code: 'FORBIDDEN' })
    expect((await matching.undo(createdMatch.id, ada.browser)).body).toMatchObject({ status: 'MATCHED' })
    expect((await matching.undo(createdMatch.id, grace.browser)).body).toMatchObject({ status: 'UNDONE' })
  })
  await setApprovals(1)
  expect(rail).toBe(0)
})

test('match suggestions find the batch, the reversal and the charge, and nothing twice', async () => {
  const bank = new ModelBank(matching.world)
  const [firstId, secondId, single, shortPayment] = [
    await matching.pays(bank, 610),
    await matching.pays(bank, 390),
    await matching.pays(bank, 77),
    await matching.pays(bank, 500),
  ]
  bank.book(dateBefore(0), { kind: 'PAYMENT', id: shortPayment, amount: '-512' })
  const line = await matching.states(bank, [
    [-1000, 'Collective order'],
    [-77, 'Order'],
    [-45],
    [45, 'Storno'],
  ])
  const day = await matching.day(bank)
  const { data } = (await getClient().get(`/reconciliations/${day.id}/match-suggestions`)).body
  const byKind = Object.fromEntries(data.map((suggestion: Reply['body']) => [suggestion.kind, suggestion]))
  expect(data).toHaveLength(4)
  expect(byKind.BATCH).toMatchObject({
    statementEntryIds: [line(-1000)],
    difference: 0,
    signs: ['AMOUNT', 'DATE'],
  })
  expect([...byKind.BATCH.paymentIds].sort()).toEqual([firstId, secondId].sort())
  expect(byKind.PAYMENT).toMatchObject({ statementEntryIds: [line(-77)], paymentIds: [single] })
  expect([...byKind.REVERSAL.statementEntryIds].sort()).toEqual([line(-45), line(45)].sort())
  expect(byKind.CHARGE).toMatchObject({ paymentIds: [shortPayment], difference: -12, account: 'costs' })
  // Each suggestion can be matched unchanged.
  for (const { statementEntryIds, paymentIds, difference: amount, account } of data)
    await matched(
      matching.match(bank, {
        statementEntryIds,
        paymentIds,
        ...(account ? difference(amount, account) : {}),
      }),
    )
  expect(await matching.day(bank)).toMatchObject(BALANCED)
})

test('the books have no findings after all matches', async () => {
  const { findings } = (await runCommand(matching.world.service.app, ['books', 'verify'], '')) as BooksReport
  expect(findings).toEqual([])
})
