import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { chainAbsent, evmEntry, type OnChain, openOnChain } from '../../worlds/chain/chain.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import { until } from '../../worlds/client.testing.ts'

let on: OnChain

/** Output of `rails check` for the rail. */
interface Seen {
  readonly ok: boolean
  readonly says: string
  readonly marks: Readonly<Record<string, string>>
}

describe.skipIf(chainAbsent)('an account that sends payments on a chain', () => {
  beforeAll(async () => {
    on = await openOnChain()
  })
  afterAll(() => on?.close())

  async function check(): Promise<Seen> {
    const { data } = (await runCommand(on.service.app, ['rails', 'check'], on.client.baseUrl)) as {
      data: [{ ok: boolean; says: string; facts: [string, string][] }]
    }
    const [{ ok, says, facts }] = data
    return { ok, says, marks: Object.fromEntries(facts) }
  }

  const warnings = async (): Promise<string[]> => {
    const { body } = await on.client.get('/overview')
    return body.rails.find(({ name }: { name: string }) => name === 'base').warnings ?? []
  }

  /** A figure of the metrics, once it is there. */
  async function figure(name: string, account: string, asset: string): Promise<number> {
    const line = new RegExp(`^${name}\\{rail="base",account="${account}",asset="${asset}"\\} (\\S+)$`, 'm')
    const text = await until(
      () => on.service.app.metrics.text(async () => true),
      (one) => line.test(one),
    )
    return Number(line.exec(text)?.[1])
  }

  test('with more than its mark needs no attention', async () => {
    // The server looks every few seconds; a rail that was read again is looked at now.
    await on.setRail(evmEntry(on.chain))
    await until(
      () => figure('countersign_chain_balance', 'TREASURY', 'USDC'),
      (balance) => balance === 1_000_000,
    )
    expect(await figure('countersign_chain_low_water', 'TREASURY', 'USDC')).toBe(0)
    const [coin] = await until(
      async () => [
        await figure('countersign_chain_balance', 'GAS 0', 'ETH'),
        await figure('countersign_chain_low_water', 'GAS 0', 'ETH'),
      ],
      ([balance, mark = 0]) => balance === 100 && mark > 0 && mark < 1,
    )
    expect(coin).toBe(100)
    const found = await until(check, ({ ok }) => ok === true)
    expect(found).toMatchObject({ ok: true, says: 'The nodes respond.' })
    expect(await warnings()).toEqual([])
  })

  test('with less than the mark of the rails file is shown in metrics, check and overview, until it has more', async () => {
    const lowWater = { transfers: 1_000_000, treasury: [{ currency: 'USDC', amount: 1_000_000_000_001 }] }
    await on.setRail(evmEntry(on.chain, { lowWater }))
    await until(warnings, (found) => found.length === 2)
    const sentences = [
      /^The gas 0 account has 100\.0{18} ETH, below its low-water mark of \d+\.\d{18} ETH\.$/,
      /^The treasury account has 1000000\.000000 USDC, below its low-water mark of 1000000\.000001 USDC\.$/,
    ].map((form) => expect.stringMatching(form))
    expect(await warnings()).toEqual(sentences)
    expect(await figure('countersign_chain_low_water', 'TREASURY', 'USDC')).toBe(1_000_000.000001)
    const found = await check()
    expect(found.ok).toBe(false)
    expect(found.says).toContain('The treasury account has 1000000.000000 USDC, below its low-water mark')
    await on.chain.mint(on.rail().chain.treasury, 1n)
    await on.setRail(evmEntry(on.chain, { lowWater: { ...lowWater, transfers: 1 } }))
    expect((await check()).ok).toBe(true)
    expect(await until(warnings, (left) => left.length === 0)).toEqual([])
  })

  test("has by default a mark of one day's payouts, for the treasury", async () => {
    await on.setRail(evmEntry(on.chain))
    const payer = await Payer.open(on)
    const transfer = await payer.pay(payer.newPayee(), 2_500_000n)
    await until(
      async () => {
        await on.chain.mine(1, 0)
        return payer.stateOf(transfer)
      },
      ({ status }) => status === 'COMPLETED',
    )
    expect((await check()).marks).toMatchObject({ 'low-water mark of treasury': '2.500000 USDC' })
  })

  test('has no mark in a currency without a token on its chain', async () => {
    const lowWater = { treasury: [{ currency: 'EUR', amount: 1 }] }
    await expect(on.setRail(evmEntry(on.chain, { lowWater }))).rejects.toThrow(
      'lowWater: tokens has no contract for EUR',
    )
  })
})
