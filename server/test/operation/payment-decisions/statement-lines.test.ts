import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import type { BooksReport } from '../../../src/operation/proofs/verify.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  dateBefore,
  exampleBank,
  ModelBank,
  openProduction,
  type Production,
} from '../../worlds/production/production.testing.ts'
import { newEuroAccount } from '../../worlds/records/external-accounts.testing.ts'
import { decide, decision } from '../../worlds/records/payments.testing.ts'

const AMOUNT = 1000
const yesterday = dateBefore(1)

let world: Production
let source: string
let destination: string
beforeAll(async () => {
  world = await openProduction()
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, '1000000')
  const path = `/customers/internal-accounts?customerId=${customerId}&currency=EUR`
  await until(
    () => world.client.get(path),
    ({ body }) => Number(body.data[0].balance.amount) > 0,
  )
  source = account.id
  destination = await newEuroAccount(world.client, customerId, '000')
})
afterAll(() => world.close())

/** Sends a payment that the bank accepts without reporting its outcome. */
async function sendPayment(bank: ModelBank): Promise<string> {
  const { status, body } = await world.client.post('/transfer-out', {
    source: { accountId: source },
    destination: { accountId: destination },
    amount: AMOUNT,
  })
  expect(status, toJson(body)).toBe(201)
  await until(
    async () => bank.given.has(body.id),
    (isGiven) => isGiven,
  )
  await until(
    async () => readRailState(body.id),
    (state) => state === 'ACCEPTED',
  )
  return body.id
}

async function readRailState(id: string): Promise<string | undefined> {
  const { rows } = await world.service.app.db.query<{ state: string }>(
    "SELECT state FROM rail_payments WHERE direction = 'OUT' AND payment_id = $1",
    [id.slice(id.indexOf(':') + 1)],
  )
  return rows[0]?.state
}

const readStatus = async (id: string) => (await world.client.get(`/transactions/${id}`)).body.status

/** Runs the reconciliation of a bank's day. */
async function reconcileDay(bank: ModelBank, date = yesterday): Promise<Reply['body']> {
  const args = ['reconciliation', 'run', '--rail', bank.name, '--date', date]
  const { data } = (await runCommand(world.service.app, args, '')) as { data: Reply['body'][] }
  return data[0]
}

/** Closes the day of a bank, and returns its unexplained lines by their amounts. */
async function closeAndListLines(bank: ModelBank): Promise<Record<string, string>> {
  await bank.tell(bank.event('statement', bank.close(yesterday)))
  const { differences } = await reconcileDay(bank)
  return Object.fromEntries(differences.map(({ amount, about }: Reply['body']) => [amount, about]))
}

const buildLineDecision = (outcome: string, statementEntryIds: readonly unknown[], fields: object = {}) =>
  decision(outcome, { evidence: { statementEntryIds }, ...fields })

const buildCharge = (amount: number) => ({ charge: { amount, currency: 'EUR' } })

async function waitForStatus(id: string, status: string): Promise<void> {
  await until(
    () => readStatus(id),
    (current) => current === status,
  )
}

describe('a line of a statement as evidence', () => {
  test('that was unexplained is assigned to the payment, and the day balances', async () => {
    const bank = new ModelBank(world)
    const [paidId, returnedId] = [await sendPayment(bank), await sendPayment(bank)]
    bank.book(yesterday, { kind: 'OTHER', amount: String(-AMOUNT - 7), text: 'Payment with a charge' })
    bank.book(yesterday, { kind: 'OTHER', amount: String(-AMOUNT), text: 'Payment' })
    bank.book(yesterday, { kind: 'OTHER', amount: String(AMOUNT - 60), text: 'Returned, less our fee' })
    const lines = await closeAndListLines(bank)
    const deliveredReply = await decide(
      world.client,
      paidId,
      buildLineDecision('DELIVERED', [lines[-AMOUNT - 7]], buildCharge(7)),
    )
    expect(deliveredReply.status, toJson(deliveredReply.body)).toBe(200)
    await waitForStatus(paidId, 'COMPLETED')
    const returnedReply = await decide(
      world.client,
      returnedId,
      buildLineDecision('RETURNED', [lines[AMOUNT - 60], lines[-AMOUNT]], buildCharge(60)),
    )
    expect(returnedReply.status, toJson(returnedReply.body)).toBe(200)
    await waitForStatus(returnedId, 'FAILED')
    expect(await reconcileDay(bank)).toMatchObject({ status: 'BALANCED', differenceCount: 0 })
  })

  test('must belong to the rail, have exactly the booked amount, and be unused', async () => {
    const bank = new ModelBank(world)
    const [firstId, secondId] = [await sendPayment(bank), await sendPayment(bank)]
    bank.book(yesterday, { kind: 'OTHER', amount: String(-AMOUNT) })
    bank.book(yesterday, { kind: 'FEE', amount: '-3' })
    const line = (await closeAndListLines(bank))[-AMOUNT]!
    const field = 'evidence.statementEntryIds'
    const refusals = [
      buildLineDecision('FAILED', [line]),
      buildLineDecision('RETURNED', [line]),
      buildLineDecision('DELIVERED', [line], buildCharge(1)),
      buildLineDecision('RETURNED', [line], buildCharge(1)),
    ]
    for (const body of refusals)
      expectError(await decide(world.client, firstId, body), { code: 'INVALID_INPUT', field })
    // Only one of two payments can use the line.
    const replies = await Promise.all(
      [firstId, secondId].map((id) => decide(world.client, id, buildLineDecision('DELIVERED', [line]))),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    const [decidedId, pendingId] = replies[0]!.status === 200 ? [firstId, secondId] : [secondId, firstId]
    await waitForStatus(decidedId, 'COMPLETED')
    expect(await readStatus(pendingId)).toBe('PENDING')
    expectError(await decide(world.client, pendingId, buildLineDecision('DELIVERED', [line])), {
      code: 'INVALID_INPUT',
      field,
    })
    expect(await reconcileDay(bank)).toMatchObject({ status: 'BALANCED' })
    const otherBank = new ModelBank(world)
    const third = await sendPayment(otherBank)
    expectError(await decide(world.client, third, buildLineDecision('DELIVERED', [line])), {
      code: 'INVALID_INPUT',
      field,
    })
  })
})

describe('the statement after a decision', () => {
  test('that matches the decision leaves the day balanced', async () => {
    const bank = new ModelBank(world)
    const [paidId, returnedId] = [await sendPayment(bank), await sendPayment(bank)]
    await decide(world.client, paidId, decision('DELIVERED'))
    await decide(world.client, returnedId, decision('RETURNED', buildCharge(60)))
    await waitForStatus(paidId, 'COMPLETED')
    await waitForStatus(returnedId, 'FAILED')
    bank.book(yesterday, { kind: 'PAYMENT', id: paidId, amount: String(-AMOUNT) })
    bank.book(yesterday, { kind: 'PAYMENT', id: returnedId, amount: String(-AMOUNT) })
    bank.book(yesterday, { kind: 'PAYMENT_RETURN', id: returnedId, amount: String(AMOUNT - 60) })
    await bank.tell(bank.event('statement', bank.close(yesterday)))
    const reconciledDay = await reconcileDay(bank)
    const waitingReports = (await world.client.get(`/rail-events?rail=${bank.name}&status=WAITING`)).body.data
    expect([reconciledDay.status, waitingReports.map(({ reason }: Reply['body']) => reason)]).toEqual([
      'BALANCED',
      [],
    ])
  })

  test('that books a payment decided as failed waits for another decision, and shows both', async () => {
    const bank = new ModelBank(world)
    const id = await sendPayment(bank)
    await decide(world.client, id, decision('FAILED'))
    await waitForStatus(id, 'FAILED')
    bank.book(yesterday, { kind: 'PAYMENT', id, amount: String(-AMOUNT) })
    await bank.tell(bank.event('statement', bank.close(yesterday)))
    expect(await reconcileDay(bank)).toMatchObject({ differences: [{ reason: 'NOT_IN_BOOKS', about: id }] })
    const { data } = (await world.client.get(`/rail-events?rail=${bank.name}&status=WAITING`)).body
    expect(data).toMatchObject([
      { reason: 'CONTRADICTION', type: 'payment.delivered', body: { decision: { outcome: 'FAILED' } } },
    ])
    const body = decision('DELIVERED', {
      railEventId: data[0].id,
      evidence: { statementEntryIds: [data[0].body.id] },
    })
    const reply = await decide(world.client, id, body)
    expect(reply.status, toJson(reply.body)).toBe(200)
    expect(await reconcileDay(bank)).toMatchObject({ status: 'BALANCED' })
  })
})

test('a payment whose amount the bank booked differently waits in the list, and is decided there', async () => {
  const bank = new ModelBank(world)
  const id = await sendPayment(bank)
  bank.book(yesterday, { kind: 'PAYMENT', id, amount: String(-AMOUNT - 15) })
  await bank.tell(bank.event('statement', bank.close(yesterday)))
  await reconcileDay(bank)
  const { data } = (await world.client.get(`/rail-events?rail=${bank.name}&status=WAITING`)).body
  expect(data).toMatchObject([{ reason: 'OTHER_AMOUNT', body: { expected: { value: String(AMOUNT) } } }])
  const reply = await decide(
    world.client,
    id,
    buildLineDecision('DELIVERED', [data[0].body.id], { railEventId: data[0].id, ...buildCharge(15) }),
  )
  expect(reply.status, toJson(reply.body)).toBe(200)
  await waitForStatus(id, 'COMPLETED')
  expect(await reconcileDay(bank)).toMatchObject({ status: 'BALANCED' })
  expect((await world.client.get(`/rail-events?rail=${bank.name}`)).body.data).toMatchObject([
    { status: 'RESOLVED', note: 'The bank has confirmed it' },
  ])
})

test('a payment that was just given to its rail cannot be decided yet, but a payment whose rail was removed can', async () => {
  const bank = new ModelBank(world)
  const id = await sendPayment(bank)
  const uuid = id.slice(id.indexOf(':') + 1)
  await world.service.app.db.query("UPDATE rail_payments SET state = 'GIVEN' WHERE payment_id = $1", [uuid])
  const refusal = await decide(world.client, id, decision('FAILED'))
  expectError(refusal, { code: 'PAYMENT_NOT_DECIDABLE' })
  expect(refusal.body.details.reason).toBe('NOT_SENT')
  await world.service.app.db.query("UPDATE rail_payments SET state = 'ACCEPTED' WHERE payment_id = $1", [
    uuid,
  ])
  await world.setRails([exampleBank(world.bank.url)])
  expect((await decide(world.client, id, decision('FAILED'))).status).toBe(200)
  await waitForStatus(id, 'FAILED')
})

test('the ledger verifies after all decisions', async () => {
  const { findings } = (await runCommand(world.service.app, ['books', 'verify'], '')) as BooksReport
  expect(findings).toEqual([])
})
