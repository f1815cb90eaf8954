import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainAbsent, followed, type OnChain, openOnChain } from '../../worlds/chain/chain.testing.ts'
import type { Reply } from '../../worlds/client.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import { coldStorage, KEYS, MOVEMENTS, movement } from '../../worlds/records/treasury.testing.ts'

const STEPS = ['move', 'return', 'reorganize', 'rotate', 'pay late'] as const
const VAULT = 2
const PAYER = 1

let on: OnChain

describe.skipIf(chainAbsent)('the money of a treasury', () => {
  beforeAll(async () => {
    on = await openOnChain()
    await on.chain.mint(on.chain.account(PAYER).address, 1_000_000_000n)
    await on.chain.mine(4)
    await followed(on)
  })
  afterAll(() => on?.close())

  test('is moved once and booked as on the chain, whatever is interrupted, repeated or reorganized', async () => {
    const { id: ownAccountId } = await coldStorage(on.client, on.chain.account(VAULT).address)
    const plan = fc.tuple(
      fc.array(fc.constantFrom(...STEPS), { minLength: 4, maxLength: 7 }),
      fc.infiniteStream(fc.nat({ max: 5 })),
    )
    await fc.assert(
      fc.asyncProperty(plan, async ([steps, dice]) => {
        const first = on.rail().chain.treasury
        const restoreCommits = failCommits(() => dice.next().value === 0)
        try {
          for (const [n, step] of steps.entries()) await runStep(step, ownAccountId, first, 1000 + n)
        } finally {
          restoreCommits()
        }
        await waitForSettledMoney()
        await expectBooksMatchChain()
      }),
      { numRuns: 2, endOnFailure: true },
    )
  })
})

async function runStep(
  step: (typeof STEPS)[number],
  ownAccountId: string,
  first: `0x${string}`,
  amount: number,
) {
  switch (step) {
    case 'move':
      await postUntilDone(MOVEMENTS, movement(ownAccountId, amount))
      break
    case 'return':
      if ((await on.chain.balanceOf(on.chain.token, on.chain.account(VAULT).address)) >= 500n)
        await on.chain.transfer(VAULT, on.rail().chain.treasury, 500n)
      break
    case 'reorganize':
      await on.chain.mine(3)
      await on.chain.reorg(5)
      break
    case 'rotate':
      await postUntilDone(KEYS, { rail: 'base', reason: 'A year is over' })
      break
    case 'pay late':
      await on.chain.transfer(PAYER, first, BigInt(amount))
  }
  await on.chain.mine(2)
}

/** Repeats a call with one idempotency key until it succeeds. */
async function postUntilDone(path: string, body: object): Promise<void> {
  const key = { 'Idempotency-Key': randomUUID() }
  const reply = await until(
    () => on.client.post(path, body, key),
    ({ status }) => status < 500,
  )
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
}

/**
 * Makes commits throw before or after they are done, as if the process had died there. Returns a function
 * that restores them.
 */
function failCommits(isInterrupted: () => boolean): () => void {
  const { app } = on.service
  const { commit } = app
  const failingCommit: typeof commit = async (...args) => {
    if (isInterrupted()) throw new Error('Interrupted before the commit')
    const done = await commit(...args)
    if (isInterrupted()) throw new Error('Interrupted after the commit')
    return done
  }
  Object.assign(app, { commit: failingCommit })
  return () => {
    Object.assign(app, { commit })
  }
}

/** Mines until no payment is open, no movement is unsure and no old address has money. */
async function waitForSettledMoney(): Promise<void> {
  await until(
    async () => {
      await on.chain.mine(1)
      const open = await on.service.app.read
        .selectFrom('chain_payments')
        .where('state', 'in', ['WAITING', 'SENT'])
        .select('id')
        .execute()
      const unsure = await on.service.app.read
        .selectFrom('chain_movements')
        .where('state', '=', 'UNSURE')
        .select('id')
        .execute()
      const { retired } = on.rail()
      const left = await Promise.all(retired.map((address) => on.chain.balanceOf(on.chain.token, address)))
      return open.length + unsure.length + left.filter((balance) => balance > 0n).length
    },
    (count) => count === 0,
    60,
  )
  await on.chain.mine(4)
  await followed(on)
}

async function expectBooksMatchChain(): Promise<void> {
  const { app } = on.service
  const { rows } = await app.db.query<{ name: string; posted: bigint }>(
    "SELECT name, posted FROM ledger_accounts WHERE name IN ('rail:base', 'rail:base:cold') AND currency = 'USDC'",
  )
  const books = new Map(rows.map(({ name, posted }) => [name, BigInt(posted)]))
  const addresses = await app.read.selectFrom('chain_addresses').select(['address', 'role']).execute()
  const onChain = { ours: 0n, cold: 0n }
  for (const { address, role } of addresses)
    onChain[role === 'COLD' ? 'cold' : 'ours'] += await on.chain.balanceOf(on.chain.token, address)
  expect({ ours: books.get('rail:base') ?? 0n, cold: books.get('rail:base:cold') ?? 0n }).toEqual(onChain)
  const list: Reply['body'][] = (await on.client.get(`${MOVEMENTS}?status=COMPLETED&limit=100`)).body.data
  const sumMovements = (direction: string) =>
    list.reduce(
      (sum, movement) => sum + (movement.direction === direction ? BigInt(movement.amount.amount) : 0n),
      0n,
    )
  expect(sumMovements('TO_COLD_STORAGE') - sumMovements('FROM_COLD_STORAGE')).toBe(onChain.cold)
}
