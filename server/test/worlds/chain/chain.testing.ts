import { anvilBinary } from '../../../../contracts/anvil.ts'
import { type LocalChain, type LocalChainOptions, openLocalChain } from '../../../../contracts/local-chain.ts'

/** True if this system has no chain to test with. Tests that need one are skipped then. */
export const chainAbsent = anvilBinary() === undefined
if (chainAbsent)
  console.warn(
    `No anvil for ${process.platform}-${process.arch}, so no test has a chain. ANVIL can be the path of one.`,
  )

/**
 * The test's own chain, on a free port; in `beforeAll`, so that a file shares one. Close it in `afterAll`.
 */
export function openChain(options: Omit<LocalChainOptions, 'port' | 'stateFile'> = {}): Promise<LocalChain> {
  return openLocalChain(options)
}
