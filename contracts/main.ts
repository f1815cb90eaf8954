import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { CHAIN_MNEMONIC } from './anvil.ts'
import { rootFolder } from './compile.ts'
import { type LocalChain, openLocalChain } from './local-chain.ts'

const USAGE = `Usage: npm run chain [-- options]

  --port N         where the chain listens (default 8545; 0: a free port)
  --block-time N   seconds from block to block (default 2; 0: a block for each transaction, and none without)
  --dir FOLDER     where it keeps itself from run to run (default .countersign-chain)
  --fresh          forgets the chain of the last run`

/** The account that is rich from the start. */
const FAUCET = 0
/** In the smallest unit: ten million dollars. */
const FAUCET_AMOUNT = 10_000_000_000_000n

async function main(): Promise<void> {
  const options = readOptions()
  if (options === undefined) return
  const { folder, port, blockSeconds } = options
  mkdirSync(folder, { recursive: true })
  const chain = await openLocalChain({
    port,
    stateFile: join(folder, 'state.json'),
    ...(blockSeconds === 0 ? {} : { blockSeconds }),
  })
  // Ctrl-C reaches anvil by itself; a signal to this process alone is passed on.
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

/** Undefined where only the usage was asked for. Throws with the usage for what it does not know. */
function readOptions(): { folder: string; port: number; blockSeconds: number } | undefined {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8545' },
      'block-time': { type: 'string', default: '2' },
      dir: { type: 'string' },
      fresh: { type: 'boolean' },
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
  if (values.fresh && existsSync(state)) rmSync(state)
  return { folder, port, blockSeconds }
}

interface Files {
  readonly chain: string
  readonly rails: string
}

/** What a program needs to use the chain, and a rails file for a server that uses it. */
function writeFiles(folder: string, chain: LocalChain, blockSeconds: number): Files {
  const files = { chain: join(folder, 'chain.json'), rails: join(folder, 'rails.json') }
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
    // Blocks come by themselves only where they have a time.
    confirmations: blockSeconds === 0 ? 1 : 2,
    serves: [
      { direction: 'OUT', accountTypes: ['BASE_WALLET'], currencies: ['USDC'] },
      { direction: 'IN', accountTypes: ['BASE_WALLET'], currencies: ['USDC'] },
    ],
  }
  writeFileSync(files.chain, jsonOf({ url, chainId, token, plainToken, multicall, faucet }))
  writeFileSync(files.rails, jsonOf({ rails: [rail] }))
  return files
}

function jsonOf(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function summary(chain: LocalChain, files: Files): string {
  return `The chain is ready

  RPC         ${chain.url}
  Chain id    ${chain.chainId}
  Token       ${chain.token} (USDC, EIP-3009; everybody may mint)
  Multicall   ${chain.multicall}
  Faucet      ${chain.account(FAUCET).address}
  Addresses   ${files.chain}
  Try next    RAILS_FILE=${files.rails} npm start (in another terminal)
  Stop        Ctrl-C; the next run goes on from here, --fresh begins anew`
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
