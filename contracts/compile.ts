import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Abi, Hex } from 'viem'

export type ContractName = 'Token' | 'PlainToken' | 'Multicall'

/** A contract's ABI, and its creation code without constructor arguments. */
export interface Compiled {
  readonly abi: Abi
  readonly bytecode: Hex
}

export type Contracts = Readonly<Record<ContractName, Compiled>>

const SETTINGS = {
  // Runs also on networks without the Cancun upgrade of 2024.
  evmVersion: 'shanghai',
  optimizer: { enabled: true, runs: 1000 },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

let known: Contracts | undefined

/**
 * The contracts of this folder, compiled. The compiler takes seconds, so its output is kept in `node_modules/.cache` under
 * the hash of the sources, the settings and the compiler. Throws with the compiler's words when a source is wrong.
 */
export function compileContracts(): Contracts {
  known ??= keptOrCompiled()
  return known
}

function keptOrCompiled(): Contracts {
  const folder = join(rootFolder(), 'contracts')
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sol'))
    .sort()
  const sources = Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }]),
  )
  const input = JSON.stringify({ language: 'Solidity', sources, settings: SETTINGS })
  const solc = createRequire(import.meta.url).resolve('solc/package.json')
  const { version } = JSON.parse(readFileSync(solc, 'utf8')) as { version: string }
  const hash = createHash('sha256').update(version).update('\0').update(input).digest('hex')
  const cache = join(rootFolder(), 'node_modules', '.cache', 'countersign')
  const file = join(cache, `contracts-${hash}.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Contracts
  const contracts = compile(join(dirname(solc), 'solc.js'), input)
  mkdirSync(cache, { recursive: true })
  // Another process may do the same at this moment, and must never read half of it.
  const part = `${file}.${process.pid}`
  writeFileSync(part, JSON.stringify(contracts))
  renameSync(part, file)
  return contracts
}

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>>
  >
}

/** Runs the compiler in a child process: in ours, it would listen to our uncaught errors. */
function compile(program: string, input: string): Contracts {
  const text = execFileSync(process.execPath, [program, '--standard-json'], {
    input,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  })
  // The compiler may print a line before the JSON.
  const output = JSON.parse(text.slice(text.indexOf('{'))) as SolcOutput
  const complaints = (output.errors ?? []).filter(({ severity }) => severity !== 'info')
  if (complaints.length > 0)
    throw new Error(complaints.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const contractOf = (name: ContractName): Compiled => {
    const contract = output.contracts?.[`${name}.sol`]?.[name]
    if (!contract) throw new Error(`contracts/${name}.sol has no contract ${name}`)
    return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }
  }
  return {
    Token: contractOf('Token'),
    PlainToken: contractOf('PlainToken'),
    Multicall: contractOf('Multicall'),
  }
}

/** The repository's folder, also from within a bundle, which lies elsewhere than this file. */
export function rootFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'contracts', 'Token.sol'))) {
    if (dirname(folder) === folder) throw new Error('contracts/Token.sol is missing')
    folder = dirname(folder)
  }
  return folder
}
