import { openChain } from '../chain.testing.ts'
import { type LyingProxy, openLyingProxy } from '../lying-proxy.testing.ts'
import { type OnChain, openOnChain } from '../on-chain.testing.ts'

/** A server whose node is a proxy, which lies about the chain when it is told to. */
export interface BehindProxy extends OnChain {
  readonly proxy: LyingProxy
  /** The nodes, as the entry of the rail has them. */
  readonly rpcs: readonly object[]
}

/** Starts one on a chain of its own. With an agreement of 2 the second node is the chain itself. */
export async function openBehindProxy({
  agreement = 1,
  entry = {},
}: {
  readonly agreement?: 1 | 2
  readonly entry?: object
} = {}): Promise<BehindProxy> {
  const chain = await openChain()
  const proxy = await openLyingProxy(chain.url)
  const rpcs = [proxy.url, chain.url].slice(0, agreement).map((url) => ({ type: 'url', url }))
  const on = await openOnChain({ chain, entry: { rpcs, agreement, ...entry } })
  return {
    ...on,
    proxy,
    rpcs,
    async close() {
      await on.close()
      await proxy.close()
      await chain.close()
    },
  }
}
