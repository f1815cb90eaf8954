import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deriveChainRecordId } from '../../../src/outside/chains/ids.ts'
import {
  buildEvmEntry,
  CONFIRMATIONS,
  chainAbsent,
  countAlerts,
  findGasAddress,
  followed,
  type OnChain,
  openChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { openLyingProxy } from '../../worlds/chain/lying-proxy.testing.ts'
import { until } from '../../worlds/client.testing.ts'

let on: OnChain

describe.skipIf(chainAbsent)('the chain of a rail', () => {
  beforeAll(async () => {
    on = await openOnChain()
  })
  afterAll(() => on?.close())

  test('is followed from its head at the time when the server first connected to it', async () => {
    const row = await until(
      () => on.service.app.read.selectFrom('chains').selectAll().executeTakeFirst(),
      (found) => found !== undefined,
    )
    expect(row).toMatchObject({
      id: deriveChainRecordId('base'),
      chain_number: BigInt(on.chain.chainId),
      genesis: on.rail().facts?.genesis,
    })
    const { number } = await on.rail().nodes.head()
    expect(row!.followed_block).toBeGreaterThanOrEqual(0n)
    expect(row!.followed_block).toBeLessThanOrEqual(number)
  })

  test('has its last followed block in the metrics', async () => {
    await on.chain.mine(5)
    const { number } = await on.chain.block()
    const last = number - BigInt(CONFIRMATIONS) + 1n
    const text = await until(
      () => on.service.app.metrics.text(async () => true),
      (found) => found.includes(`countersign_chain_followed_block{rail="base"} ${last}\n`),
    )
    expect(text).toMatch(/^countersign_chain_followed_age_seconds\{rail="base"\} -?[\d.]+$/m)
  })

  test('has a treasury and gas accounts, whose keys are in the enclave', async () => {
    const rows = await until(
      () =>
        on.service.app.read
          .selectFrom('chain_addresses')
          .selectAll()
          .where('owner_id', 'is', null)
          .orderBy('role')
          .execute(),
      (found) => found.length === 2,
    )
    expect(rows.map(({ role, address }) => [role, address])).toEqual([
      ['GAS', findGasAddress(on.service, on.rail())],
      ['TREASURY', on.rail().chain.treasury],
    ])
  })

  test('is refused if the rails file contradicts the chain', async () => {
    const { chain } = on
    const buildToken = (address: string) => ({ currency: 'USDC', standard: 'EIP3009', address })
    const buildServes = (currency: string) => [
      { direction: 'OUT', accountTypes: ['BASE_WALLET'], currencies: [currency] },
    ]
    for (const [more, message] of [
      [{ chainId: 8453 }, 'is on another chain'],
      [
        { tokens: [{ ...buildToken(chain.token), currency: 'BTC' }], serves: buildServes('BTC') },
        'has 6 decimals, but BTC has 8',
      ],
      [{ tokens: [buildToken(chain.plainToken)] }, 'has no'],
      [{ tokens: [buildToken(`0x${'1'.repeat(40)}`)] }, 'has no contract'],
      [{ tokens: [buildToken(breakChecksum(chain.token))] }, 'checksum'],
      [
        { serves: [{ direction: 'PULL', accountTypes: ['BASE_WALLET'], currencies: ['USDC'] }] },
        'cannot pull',
      ],
      [
        { serves: [{ direction: 'OUT', accountTypes: ['ETHEREUM_WALLET'], currencies: ['USDC'] }] },
        'only BASE_WALLET',
      ],
      [
        { agreement: 2 },
        'RAILS_FILE, rail base: agreement: two nodes must agree, but rpcs has only one. Add a second node, or set agreement to 1.',
      ],
      [
        { agreement: 2, rpcs: [chain.url, `${chain.url}/`].map((url) => ({ type: 'url', url })) },
        'two nodes have the same URL',
      ],
      [{ rpcs: [{ type: 'url', url: 'http://example.com' }] }, 'https://'],
      [{ rpcs: [{ type: 'secret', env: 'NO_SUCH_NODE' }] }, 'NO_SUCH_NODE'],
    ] as const)
      await expect(on.setRail(buildEvmEntry(chain, more)), message).rejects.toThrow(message)
    // The previous rails stay in use.
    expect(on.rail().facts).toBeDefined()
  })

  test('is no longer followed after its rail is moved to another chain', async () => {
    const chain = await openChain({ chainId: 31_338 })
    const proxy = await openLyingProxy(chain.url)
    try {
      const before = await countAlerts(on, 'nodes')
      await on.setRail(buildEvmEntry({ ...chain, url: proxy.url }))
      await until(
        () => countAlerts(on, 'nodes'),
        (alerts) => alerts > before,
      )
      const heads = proxy.calls('eth_getBlockByNumber').filter(({ params }) => params[0] === 'latest')
      expect(heads).toEqual([])
    } finally {
      await on.setRail(buildEvmEntry(on.chain))
      await proxy.close()
      await chain.close()
    }
    await followed(on)
  })
})

/** Returns the address with one letter in the wrong case. */
function breakChecksum(address: string): string {
  const at = [...address].findIndex((letter, index) => index > 1 && /[a-f]/i.test(letter))
  const letter = address[at]!
  const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  return `${address.slice(0, at)}${flipped}${address.slice(at + 1)}`
}
