import { afterAll, beforeAll, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  dateBefore,
  ModelBank,
  openProduction,
  type Production,
} from '../../worlds/production/production.testing.ts'

type Account = { readonly id: string; readonly customerId: string }

let world: Production
/** Opened at the example bank, which a model bank replaces later. */
const accounts: Account[] = []
beforeAll(async () => {
  world = await openProduction()
  for (let n = 0; n < 2; n++) {
    const customerId = await world.newApproved()
    const { id } = await world.accountOf(customerId, 'EUR')
    accounts.push({ id, customerId })
  }
})
afterAll(() => world.close())

const yesterday = dateBefore(1)

const readDeposit = async (id: string) => (await world.client.get(`/deposits/${id}`)).body

/** Reports a deposit of 50.00 EUR, and books it with another amount in a statement. */
async function createBookedDeposit(amount: number, credit?: Account) {
  const bank = new ModelBank(world)
  const deposit = await readDeposit(await bank.receives(5000))
  if (credit) await correctDeposit(deposit, 'assign', { accountId: credit.id })
  await bank.books(amount, yesterday)
  const day = await compareDay(bank)
  expect(day.differences).toMatchObject([
    {
      reason: 'OTHER_AMOUNT',
      amount: amount - 5000,
      about: credit ? expect.stringMatching(/^Transaction:/) : deposit.id,
    },
  ])
  return { bank, deposit }
}

/** Reconciles yesterday with the operator's command. */
async function compareDay(bank: ModelBank): Promise<Reply['body']> {
  const args = ['reconciliation', 'run', '--rail', bank.name, '--date', yesterday]
  await runCommand(world.service.app, args, '')
  const { data } = (await world.client.get(`/reconciliations?rail=${bank.name}`)).body
  return (await world.client.get(`/reconciliations/${data[0].id}`)).body
}

async function correctDeposit({ id }: Reply['body'], action: string, body: object): Promise<Reply['body']> {
  const reply = await world.client.post(`/deposits/${id}/${action}`, body)
  expect(reply.status, toJson(reply.body)).toBe(200)
  return reply.body
}

/** The bank reverses a deposit with the amount that it booked, not the amount that it reported. */
async function reverseAtBank(bank: ModelBank, id: string, amount: number): Promise<void> {
  const { depositId } = bank.deposit(amount)
  const failure = { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'Recalled' }
  const money = { value: String(amount), currency: 'EUR' }
  await bank.tell(bank.event('deposit.reversed', { depositId, amount: money, failure }))
  await until(
    () => readDeposit(id),
    ({ status }) => status === 'REVERSED',
  )
}

async function readPostedAmount(bank: ModelBank) {
  const { rows } = await world.service.app.db.query<{ posted: bigint }>(
    `SELECT posted FROM ledger_accounts WHERE currency = 'EUR' AND name = $1`,
    [`rail:${bank.name}`],
  )
  return Number(rows[0]?.posted)
}

const readBalance = async ({ id, customerId }: Account) => {
  const { data } = (
    await world.client.get(`/customers/internal-accounts?customerId=${customerId}&currency=EUR`)
  ).body
  return data.find((account: Reply['body']) => account.id === id).balance.amount
}

const REASON = 'The bank has booked another amount'

test.each([4970, 5030])(
  'a deposit in suspense is adjusted to the amount that its bank booked: %i',
  async (amount) => {
    const { bank, deposit } = await createBookedDeposit(amount)
    const { deposit: adjustedDeposit, parts } = await correctDeposit(deposit, 'adjust', {
      amount,
      reason: REASON,
    })
    expect(parts).toEqual([])
    expect(adjustedDeposit).toMatchObject({
      status: 'SUSPENSE',
      amount: { amount },
      adjustedFrom: { amount: 5000 },
      note: REASON,
    })
    expect(await readPostedAmount(bank)).toBe(amount)
    expect(await compareDay(bank)).toMatchObject({ status: 'BALANCED' })
    const secondReply = await world.client.post(`/deposits/${deposit.id}/adjust`, {
      amount,
      reason: 'Again',
    })
    expectError(secondReply, { code: 'DEPOSIT_NOT_CORRECTABLE' })
    expect(secondReply.body.details).toMatchObject({ reason: 'ALREADY_ADJUSTED' })
  },
)

test('an amount booked above a credited deposit waits as a deposit in suspense, and the account is unchanged', async () => {
  const account = accounts.pop()!
  const { bank, deposit } = await createBookedDeposit(5030, account)
  const { deposit: adjustedDeposit, parts } = await correctDeposit(deposit, 'adjust', {
    amount: 5030,
    reason: REASON,
  })
  expect(adjustedDeposit).toMatchObject({ status: 'CREDITED', amount: { amount: 5000 } })
  expect(parts).toMatchObject([
    { status: 'SUSPENSE', amount: { amount: 30 }, partOf: deposit.id, reason: 'BOOKED_MORE' },
  ])
  expect(await readBalance(account)).toBe(5000)
  expect(await compareDay(bank)).toMatchObject({ status: 'BALANCED' })
  await correctDeposit(parts[0], 'assign', { accountId: account.id })
  expect(await readBalance(account)).toBe(5030)

  await reverseAtBank(bank, deposit.id, 5030)
  expect(await readBalance(account)).toBe(0)
  expect(await readPostedAmount(bank)).toBe(0)
})

test('an amount booked below a credited deposit is a cost of the platform, until the bank reverses the deposit', async () => {
  const account = accounts.pop()!
  const { bank, deposit } = await createBookedDeposit(4970, account)
  const { parts } = await correctDeposit(deposit, 'adjust', { amount: 4970, reason: REASON })
  expect(parts).toEqual([])
  expect(await readBalance(account)).toBe(5000)
  expect(await readPostedAmount(bank)).toBe(4970)
  expect(await compareDay(bank)).toMatchObject({ status: 'BALANCED' })

  await reverseAtBank(bank, deposit.id, 4970)
  expect(await readBalance(account)).toBe(0)
  expect(await readPostedAmount(bank)).toBe(0)
})

test('a deposit is adjusted only to an amount that a statement books', async () => {
  const { bank, deposit } = await createBookedDeposit(4970)
  const path = `/deposits/${deposit.id}/adjust`
  expectError(await world.client.post(path, { amount: 4971, reason: REASON }), {
    code: 'INVALID_INPUT',
    field: 'amount',
  })
  const unbookedId = await new ModelBank(world).receives(5000)
  const refusal = await world.client.post(`/deposits/${unbookedId}/adjust`, { amount: 4970, reason: REASON })
  expectError(refusal, { code: 'DEPOSIT_NOT_CORRECTABLE' })
  expect(refusal.body.details).toEqual({ reason: 'NOT_BOOKED' })
  expect(await readPostedAmount(bank)).toBe(5000)
})

test('only one of fifty parallel adjustments of a deposit takes effect', async () => {
  const { bank, deposit } = await createBookedDeposit(5030)
  const body = { amount: 5030, reason: REASON }
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => world.client.post(`/deposits/${deposit.id}/adjust`, body)),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await readPostedAmount(bank)).toBe(5030)
})

test('no API token can adjust a deposit if two members have to approve', async () => {
  const { bank, deposit } = await createBookedDeposit(4970)
  await world.client.send('PATCH', '/config', { approvalsRequired: 2 })
  const refusal = await world.client.post(`/deposits/${deposit.id}/adjust`, { amount: 4970, reason: REASON })
  await world.client.send('PATCH', '/config', { approvalsRequired: 1 })
  expectError(refusal, { code: 'FORBIDDEN' })
  expect(await readPostedAmount(bank)).toBe(5000)
})
