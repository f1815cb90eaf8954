import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { CHAIN_MNEMONIC } from './anvil.ts'
import { rootFolder } from './compile.ts'
import { type Funding, fundAddress, readFunding } from './fund.ts'
import { type LocalChain, openLocalChain } from './local-chain.ts'

const USAGE = `Usage: npm run chain [-- options]
       npm run chain -- fund ADDRESS [--usdc AMOUNT] [--coin AMOUNT] [--dir FOLDER]

Starts a chain; the second form gives an address test dollars or coin, from the chain that runs.

  --port N         where the chain listens (default 8545; 0: a free port)
  --block-time N   seconds from block to block (default 2; 0: a block for each transaction, and none without)
  --dir FOLDER     where it keeps itself from run to run (default .countersign-chain)
  --fresh          forgets the chain of the last run
  --usdc AMOUNT    test dollars, such as 250.50
  --coin AMOUNT    the chain's own coin, which gas is paid in`

/** The account that is rich from the start. */
const FAUCET = 0
/** In the smallest unit: ten million dollars. */
const FAUCET_AMOUNT = 10_000_000_000_000n

async function main(): Promise<void> {
  const options = readOptions()
  if (options === undefined) return
  const { folder, port, blockSeconds, fund } = options
  if (fund) {
    process.stdout.write(`${await fundAddress(join(folder, 'chain.json'), fund)}\n`)
    return
  }
  mkdirSync(folder, { recursive: true })
  const chain = await openLocalChain({
    port,
    stateFile: join(folder, 'state.json'),
    ...(blockSeconds === 0 ? {} : { blockSeconds }),
  })
  // Ctrl-C reaches anvil directly; a signal only to this process has to be passed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void chain.close())
  const faucet = chain.account(FAUCET).address
  if ((await chain.balanceOf(chain.token, faucet)) === 0n) {
    await chain.mint(faucet, FAUCET_AMOUNT)
    await chain.mine()
  }
  const files = writeFiles(folder, chain, blockSeconds)
  process.stdout.write(`${summary(chain, files)}\n`)
  await chain.ended
}

/** Undefined after `--help`. Throws with the usage if an argument is unknown or invalid. */
function readOptions():
  | { folder: string; port: number; blockSeconds: number; fund: Funding | undefined }
  | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '8545' },
      'block-time': { type: 'string', default: '2' },
      dir: { type: 'string' },
      fresh: { type: 'boolean' },
      usdc: { type: 'string' },
      coin: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    process.stdout.write(`${USAGE}\n`)
    return undefined
  }
  const port = Number(values.port)
  const blockSeconds = Number(values['block-time'])
  if (!/^\d{1,5}$/.test(values.port) || port > 65_535) throw new Error(`--port: a port is needed\n\n${USAGE}`)
  if (!/^\d{1,4}$/.test(values['block-time'])) throw new Error(`--block-time: seconds are needed\n\n${USAGE}`)
  const folder = values.dir === undefined ? join(rootFolder(), '.countersign-chain') : resolve(values.dir)
  const state = join(folder, 'state.json')
  if (values.fresh && positionals.length === 0 && existsSync(state)) rmSync(state)
  const [command, address, ...rest] = positionals
  if (command === undefined) return { folder, port, blockSeconds, fund: undefined }
  if (command !== 'fund' || address === undefined || rest.length > 0)
    throw new Error(`Not understood: ${positionals.join(' ')}\n\n${USAGE}`)
  const { usdc, coin } = values
  return { folder, port, blockSeconds, fund: readFunding(address, { usdc, coin }) }
}

interface Files {
  readonly chain: string
  readonly rails: string
  readonly production: string
}

/**
 * Writes the addresses that programs need to use the chain, and rails files for a sandbox and for production.
 */
function writeFiles(folder: string, chain: LocalChain, blockSeconds: number): Files {
  const files = {
    chain: join(folder, 'chain.json'),
    rails: join(folder, 'rails.json'),
    production: join(folder, 'rails-production.json'),
  }
  const faucet = {
    address: chain.account(FAUCET).address,
    mnemonic: CHAIN_MNEMONIC,
    path: "m/44'/60'/0'/0/0",
  }
  const { url, chainId, token, plainToken, multicall } = chain
  const rail: EvmRailValue = {
    kind: 'evm',
    name: 'local-chain',
    network: 'BASE',
    chainId,
    rpcs: [{ type: 'url', url }],
    tokens: [{ currency: 'USDC', address: token, standard: 'EIP3009' }],
    multicall,
    sweeps: [{ currency: 'USDC', from: 1n }],
    // Without a block time, no block follows a transaction to confirm it.
    confirmations: blockSeconds === 0 ? 1 : 2,
    serves: [
      { direction: 'OUT', accountTypes: ['BASE_WALLET'], currencies: ['USDC'] },
      { direction: 'IN', accountTypes: ['BASE_WALLET'], currencies: ['USDC'] },
    ],
  }
  writeFileSync(files.chain, jsonOf({ url, chainId, token, plainToken, multicall, faucet }))
  writeFileSync(files.rails, jsonOf({ rails: [{ ...rail, faucet: faucet.address }] }))
  writeFileSync(files.production, jsonOf({ rails: [rail] }))
  return files
}

/** Amounts are small here. */
function jsonOf(value: object): string {
  const plain = (_: string, one: unknown) => (typeof one === 'bigint' ? Number(one) : one)
  return `${JSON.stringify(value, plain, 2)}\n`
}

function summary(chain: LocalChain, files: Files): string {
  return `The chain is ready

  RPC         ${chain.url}
  Chain id    ${chain.chainId}
  Token       ${chain.token} (USDC, EIP-3009; everybody may mint)
  Multicall   ${chain.multicall}
  Faucet      ${chain.account(FAUCET).address}
  Addresses   ${files.chain}
  Production  ${files.production} (a rails file without the faucet)
  Try next    RAILS_FILE=${files.rails} npm start (in another terminal)
  Stop        Ctrl-C; the next run continues from here, --fresh starts over`
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
