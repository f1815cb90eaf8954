import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { buildEvmEntry, chainAbsent, type OnChain, openOnChain } from '../../worlds/chain/chain.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import { until } from '../../worlds/client.testing.ts'

let on: OnChain

/** The output of `rails check` for the rail. */
interface CheckResult {
  readonly ok: boolean
  readonly says: string
  readonly marks: Readonly<Record<string, string>>
}

describe.skipIf(chainAbsent)('an account that pays on a chain', () => {
  beforeAll(async () => {
    on = await openOnChain()
  })
  afterAll(() => on?.close())

  async function runCheck(): Promise<CheckResult> {
    const { data } = (await runCommand(on.service.app, ['rails', 'check'], on.client.baseUrl)) as {
      data: [{ ok: boolean; says: string; facts: [string, string][] }]
    }
    const [{ ok, says, facts }] = data
    return { ok, says, marks: Object.fromEntries(facts) }
  }

  const listWarnings = async (): Promise<string[]> => {
    const { body } = await on.client.get('/overview')
    return body.rails.find(({ name }: { name: string }) => name === 'base').warnings ?? []
  }

  /** Reads a figure from the metrics as soon as it exists. */
  async function readFigure(name: string, account: string, asset: string): Promise<number> {
    const line = new RegExp(`^${name}\\{rail="base",account="${account}",asset="${asset}"\\} (\\S+)$`, 'm')
    const text = await until(
      () => on.service.app.metrics.text(async () => true),
      (output) => line.test(output),
    )
    return Number(line.exec(text)?.[1])
  }

  test('causes no warning while it has more than its low-water mark', async () => {
    // Setting the rail again makes the server check the balances immediately instead of in a few seconds.
    await on.setRail(buildEvmEntry(on.chain))
    await until(
      () => readFigure('countersign_chain_balance', 'TREASURY', 'USDC'),
      (balance) => balance === 1_000_000,
    )
    expect(await readFigure('countersign_chain_low_water', 'TREASURY', 'USDC')).toBe(0)
    const [coin] = await until(
      async () => [
        await readFigure('countersign_chain_balance', 'GAS 0', 'ETH'),
        await readFigure('countersign_chain_low_water', 'GAS 0', 'ETH'),
      ],
      ([balance, mark = 0]) => balance === 100 && mark > 0 && mark < 1,
    )
    expect(coin).toBe(100)
    const result = await until(runCheck, ({ ok }) => ok === true)
    expect(result).toMatchObject({ ok: true, says: 'The nodes respond.' })
    expect(await listWarnings()).toEqual([])
  })

  test('is shown in the metrics, the check and the overview while it has less than the mark in the rails file', async () => {
    const lowWater = { transfers: 1_000_000, treasury: [{ currency: 'USDC', amount: 1_000_000_000_001 }] }
    await on.setRail(buildEvmEntry(on.chain, { lowWater }))
    await until(listWarnings, (result) => result.length === 2)
    const sentences = [
      /^The gas 0 account has 100\.0{18} ETH, below its low-water mark of \d+\.\d{18} ETH\.$/,
      /^The treasury account has 1000000\.000000 USDC, below its low-water mark of 1000000\.000001 USDC\.$/,
    ].map((form) => expect.stringMatching(form))
    expect(await listWarnings()).toEqual(sentences)
    expect(await readFigure('countersign_chain_low_water', 'TREASURY', 'USDC')).toBe(1_000_000.000001)
    const result = await runCheck()
    expect(result.ok).toBe(false)
    expect(result.says).toContain('The treasury account has 1000000.000000 USDC, below its low-water mark')
    await on.chain.mint(on.rail().chain.treasury, 1n)
    await on.setRail(buildEvmEntry(on.chain, { lowWater: { ...lowWater, transfers: 1 } }))
    expect((await runCheck()).ok).toBe(true)
    expect(await until(listWarnings, (left) => left.length === 0)).toEqual([])
  })

  test("has one day's payouts as its default mark if it is the treasury", async () => {
    await on.setRail(buildEvmEntry(on.chain))
    const payer = await Payer.open(on)
    const transfer = await payer.pay(payer.newPayee(), 2_500_000n)
    await until(
      async () => {
        await on.chain.mine(1, 0)
        return payer.stateOf(transfer)
      },
      ({ status }) => status === 'COMPLETED',
    )
    expect((await runCheck()).marks).toMatchObject({ 'low-water mark of treasury': '2.500000 USDC' })
  })

  test('cannot have a mark in a currency without a token on its chain', async () => {
    const lowWater = { treasury: [{ currency: 'EUR', amount: 1 }] }
    await expect(on.setRail(buildEvmEntry(on.chain, { lowWater }))).rejects.toThrow(
      'lowWater: tokens has no contract for EUR',
    )
  })
})
