import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type BehindProxy,
  balanceOf,
  bothSides,
  chainAbsent,
  countAlerts,
  credited,
  followed,
  newHolder,
  openBehindProxy,
} from '../../worlds/chain/chain.testing.ts'
import type { LieName } from '../../worlds/chain/lying-proxy.testing.ts'
import { until } from '../../worlds/client.testing.ts'

const LIES: readonly (readonly [method: string, lie: LieName])[] = [
  ['eth_blockNumber', 'old head'],
  ['eth_getBlockByNumber', 'null'],
  ['eth_getLogs', 'foreign logs'],
  ['eth_getLogs', 'made-up logs'],
  ['eth_getLogs', 'repeated logs'],
  ['eth_getLogs', 'removed logs'],
  ['eth_getLogs', 'huge'],
  ['eth_getLogs', 'not JSON'],
  ['eth_getLogs', 'silent'],
]

describe.skipIf(chainAbsent)('a node that lies', () => {
  let on: BehindProxy

  beforeAll(async () => {
    on = await openBehindProxy()
    await on.chain.mint(on.chain.account(1).address, 1_000_000_000n)
  })
  afterEach(() => on.proxy.honest())
  afterAll(() => on?.close())

  test.each(LIES)(
    'about %s (%s) causes no credit, and once it is honest the deposit is credited once',
    async (method, lie) => {
      const { customerId, account, address } = await newHolder(on)
      await followed(on)
      const before = await countAlerts(on, 'nodes')
      on.proxy.lie(method, lie)
      const callsBefore = on.proxy.calls(method).length
      await on.chain.transfer(1, address, 1_000n)
      await on.chain.mine(3)
      // After two more requests, the first response was processed or has timed out.
      await until(
        async () => [on.proxy.calls(method).length - callsBefore, await countAlerts(on, 'nodes')],
        ([calls, alerts]) => calls! >= 2 || alerts! > before,
        40,
      )
      expect(await balanceOf(on, customerId)).toBe(0n)
      on.proxy.honest()
      await credited(on, account.id, 1, 60)
      await followed(on, 40)
      expect(await balanceOf(on, customerId)).toBe(1_000n)
      const [ledger, chain] = await bothSides(on)
      expect(ledger).toBe(chain)
    },
  )
})

describe.skipIf(chainAbsent)('a malformed log', () => {
  let on: BehindProxy

  beforeAll(async () => {
    on = await openBehindProxy()
    await on.chain.mint(on.chain.account(1).address, 1_000n)
  })
  afterAll(() => on?.close())

  test('is not counted as money, and does not affect the transfers next to it', async () => {
    const { customerId, account, address } = await newHolder(on)
    on.proxy.lie('eth_getLogs', 'odd forms')
    await on.chain.transfer(1, address, 1_000n)
    await on.chain.mine(3)
    await credited(on, account.id, 1)
    await on.chain.mine(3)
    await followed(on)
    expect(await balanceOf(on, customerId)).toBe(1_000n)
    const [ledger, chain] = await bothSides(on)
    expect(ledger).toBe(chain)
  })
})

describe.skipIf(chainAbsent)('with two nodes that have to agree', () => {
  let on: BehindProxy

  beforeAll(async () => {
    on = await openBehindProxy({ agreement: 2 })
    await on.chain.mint(on.chain.account(1).address, 1_000_000_000n)
  })
  afterEach(() => on.proxy.honest())
  afterAll(() => on?.close())

  test('a deposit that both report is credited once', async () => {
    const { customerId, account, address } = await newHolder(on)
    await on.chain.transfer(1, address, 500n)
    await on.chain.mine(3)
    await credited(on, account.id, 1)
    await followed(on)
    expect(await balanceOf(on, customerId)).toBe(500n)
  })

  test.each(['no logs', 'missing log', 'inflated logs'] as const)(
    'a node that lies (%s) causes an alert and no credit, and once it is honest all deposits are credited once',
    async (lie) => {
      const { customerId, account, address } = await newHolder(on)
      await followed(on)
      const before = await countAlerts(on, 'nodes')
      on.proxy.lie('eth_getLogs', lie)
      await on.chain.transfer(1, address, 1_000n)
      await on.chain.transfer(1, address, 234n)
      await on.chain.mine(3)
      await until(
        () => countAlerts(on, 'nodes'),
        (alerts) => alerts > before,
      )
      expect(await balanceOf(on, customerId)).toBe(0n)
      on.proxy.honest()
      await credited(on, account.id, 2)
      expect(await balanceOf(on, customerId)).toBe(1_234n)
      const [ledger, chain] = await bothSides(on)
      expect(ledger).toBe(chain)
    },
  )
})
