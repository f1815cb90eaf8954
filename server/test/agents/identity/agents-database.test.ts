import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import type { Rail } from '../../../src/kernel/ports/rail.ts'
import { extendChains } from '../../../src/operation/proofs/chain.ts'
import { sandboxRail, sandboxRails } from '../../../src/outside/sandbox/rail.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { type Client, newBankAccount } from '../../worlds/client.testing.ts'
import { changePolicy, newAgent, newPayer, settled, used } from '../../worlds/records/agents.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

/** These tests check guarantees that are visible only in the database. */

const LIMITS = { currency: 'USD', perTransactionLimit: 10_000, dailyLimit: 10_000, monthlyLimit: 50_000 }

let service: TestServer
let client: Client
/** The outcome of refunds at the rail. Undefined if the rail cannot be reached. */
let refund: 'COMPLETED' | 'FAILED' | undefined
beforeAll(async () => {
  service = await openServer()
  const rail: Rail = {
    ...sandboxRail,
    async send(payment) {
      if (payment.purpose !== 'return' || refund === 'COMPLETED') return sandboxRail.send(payment)
      if (refund === undefined) throw new Error('The rail is away')
      const detail = 'The account is closed'
      return { subject: payment.id, outcome: 'failed', failureReason: 'COUNTERPARTY_POST_TX_FAILED', detail }
    },
  }
  Object.assign(service.app, { rails: { ...sandboxRails, find: () => rail, route: async () => rail } })
  client = await service.newPlatform()
  // Budgets are reset at midnight of the platform's clock, which these tests move by hours.
  await client.advance(secondsToMidnight(service.app.clock()))
})
afterAll(() => service.close())

describe('while a refund is pending', () => {
  test.each([
    ['COMPLETED', [0, 0, 0]],
    ['FAILED', [1, 10_000, 10_000]],
  ] as const)('the budget stays used until the refund is %s', async (outcome, after) => {
    refund = undefined
    const payer = await newPayer(client)
    const agent = await newAgent(client, payer.id, { spendingLimits: LIMITS })
    const bank = await newBankAccount(client, payer.id, '004')
    // Pulled money is returned as a separate payment, which may take a while.
    const usd = await newBankAccount(client, payer.id, '788')
    const action = await agent.pays({ ...payer, usd, bank }, 10_000)
    const { transaction } = await settled(client, agent, action.body.id)
    expect(transaction).toMatchObject({ status: 'FAILED', refund: { status: 'PENDING' } })
    expect(await used(client, agent)).toEqual([1, 10_000, 10_000])
    // Neither another change of the payment nor a direct write releases the reservation.
    await service.app.db.query(
      `UPDATE transactions SET updated_at = updated_at WHERE id = '${extractUuid(transaction.id)}'`,
    )
    await expect(
      service.app.db.query(
        `UPDATE agent_reservations SET state = 'RELEASED' WHERE id = '${extractUuid(transaction.id)}'`,
      ),
    ).rejects.toThrow('before its money is back')
    expect(await used(client, agent)).toEqual([1, 10_000, 10_000])
    refund = outcome
    await client.advance(3600)
    expect((await client.get(`/transactions/${transaction.id}`)).body.refund.status).toBe(outcome)
    expect(await used(client, agent)).toEqual(after)
  })
})

describe('a denial', () => {
  /** The rows of each table, and their size in bytes. */
  async function readStored(): Promise<Map<string, { rows: number; bytes: number }>> {
    const { db } = service.app
    const { rows: tables } = await db.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    )
    const sizes = new Map<string, { rows: number; bytes: number }>()
    for (const { name } of tables) {
      const sql = `SELECT count(*) AS rows, coalesce(sum(octet_length(t::text)), 0) AS bytes FROM ${name} AS t`
      const { rows, bytes } = (await db.query<{ rows: bigint; bytes: bigint }>(sql)).rows[0]!
      sizes.set(name, { rows: Number(rows), bytes: Number(bytes) })
    }
    return sizes
  }

  /** The tables that have grown, except the request log, whose old rows are deleted automatically. */
  async function measureGrowth(action: () => Promise<unknown>) {
    // Earlier movements enter the chain of proofs some seconds later, in the background.
    await extendChains(service.app.db, service.app.clock)
    const before = await readStored()
    await action()
    const after = await readStored()
    return [...after].flatMap(([table, { rows, bytes }]) => {
      const previous = before.get(table) ?? { rows: 0, bytes: 0 }
      return table === 'logged_requests' || (rows === previous.rows && bytes === previous.bytes)
        ? []
        : [{ table, rows: rows - previous.rows, bytes: bytes - previous.bytes }]
    })
  }

  async function newRestrictedAgent() {
    const payer = await newPayer(client)
    // A policy of realistic size.
    const rules = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => ({
        accountId: await newBankAccount(client, payer.id, `${100 + index}9`),
        executionMode: 'AUTO',
        perTransactionLimit: 5,
      })),
    )
    const agent = await newAgent(client, payer.id, {
      accountRestrictions: {
        allowedExternalAccountIds: rules.map(({ accountId }) => accountId),
        accountRules: rules,
      },
    })
    return { payer, agent }
  }

  test('stores one small row, whatever the size of the policy, which is stored once and shown with each denial', async () => {
    const { payer, agent } = await newRestrictedAgent()
    const expectDenied = async () => expect((await agent.transferOut(payer, 1)).status).toBe(403)
    const [growth, ...others] = await measureGrowth(async () => {
      for (let times = 0; times < 10; times++) await expectDenied()
    })
    expect(others).toEqual([])
    expect(growth).toMatchObject({ table: 'agent_decisions', rows: 10 })
    const before = (await client.get(`/agents/${agent.id}`)).body.policy
    expect(toJson(before).length).toBeGreaterThan(6_000)
    expect(growth!.bytes / 10).toBeLessThan(1_024)
    // Only a real change creates a new version, and earlier decisions keep their version.
    const measurePolicyGrowth = async (change: object) =>
      (await measureGrowth(() => changePolicy(client, agent, change as never))).filter(
        ({ table }) => table === 'agent_policies',
      )
    expect(await measurePolicyGrowth({})).toEqual([])
    expect(await measurePolicyGrowth({ permissions: [] })).toMatchObject([{ rows: 1 }])
    await expectDenied()
    const { data } = (await client.get(`/agents/${agent.id}/decisions?limit=2`)).body
    expect(data[0]).toMatchObject({
      decision: { rule: 'permission' },
      inputs: { policy: { ...before, permissions: [] } },
    })
    expect(data[1]).toMatchObject({
      decision: { rule: 'externalAccount' },
      inputs: { policy: before, isPaused: false },
    })
  })

  test('to a paused agent is counted and stores nothing, whatever it requests', async () => {
    const { payer, agent } = await newRestrictedAgent()
    await client.send('PATCH', `/agents/${agent.id}`, { isPaused: true })
    const readDenialCount = async () => {
      const page = await (await fetch(`${service.app.origin()}/metrics`)).text()
      return Number(/countersign_agent_denials_total\{rule="paused"\} (\d+)/.exec(page)![1])
    }
    const before = await readDenialCount()
    const growth = await measureGrowth(async () => {
      for (let times = 0; times < 5; times++) {
        expect((await agent.transferOut(payer, 1)).status).toBe(403)
        expect((await agent.quote(payer, 100)).body.details).toEqual({ rule: 'paused' })
      }
    })
    expect(growth).toEqual([])
    expect(await readDenialCount()).toBe(before + 10)
  })
})

function secondsToMidnight(now: Date): number {
  const day = 24 * 3600
  return day - (Math.floor(now.getTime() / 1000) % day)
}
