import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createWireSpelling, WIRE_WORD } from '@countersign/contract/core/wire-word'
import { DeviceKey, signedCall } from '@countersign/sdk/wallet'
import { build } from 'esbuild'
import type { Calls, Connect, SignatureHeaders, SignedCallResult } from './clients/calls.ts'

const CLIENTS = fileURLToPath(new URL('./clients', import.meta.url))
const REDOCLY = fileURLToPath(new URL('./redocly.yaml', import.meta.url))
const SPECTRAL = fileURLToPath(new URL('./spectral.yaml', import.meta.url))

/** The folder with the generators listed in `tools/package.json`, created by `npm run test:clients`. */
export function getToolsFolder(): string {
  const folder = process.env.CLIENT_TOOLS
  if (folder === undefined)
    throw new Error('CLIENT_TOOLS is not set. Run these tests with: npm run test:clients')
  return folder
}

/** The arguments of each generator. `in` is the document, `out` the client's file or folder. */
export const GENERATORS = {
  'openapi-fetch': {
    program: 'openapi-typescript',
    // Request fields with a default may be omitted.
    args: (document: string) => [
      document,
      '-o',
      'generated/openapi-typescript.d.ts',
      '--default-non-nullable=false',
    ],
  },
  'hey-api': {
    program: 'openapi-ts',
    args: (document: string) => ['-i', document, '-o', 'generated/hey-api', '--no-log-file'],
  },
  oazapfts: {
    program: 'oazapfts',
    args: (document: string) => [document, 'generated/oazapfts.ts'],
  },
  'swagger-typescript-api': {
    program: 'swagger-typescript-api',
    args: (document: string) => [
      'generate',
      '-p',
      document,
      '-o',
      'generated',
      '-n',
      'swagger-typescript-api.ts',
    ],
  },
} as const satisfies Record<string, { program: string; args: (document: string) => readonly string[] }>

export type ClientName = keyof typeof GENERATORS

/** A folder in which clients are generated from one document, together with the programs that use them. */
export class Workshop {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** `word` is the document's wire word, which is also used in the programs. */
  static async open(document: string, word = WIRE_WORD): Promise<Workshop> {
    const folder = await mkdtemp(join(getToolsFolder(), 'project-'))
    const { text } = createWireSpelling(word)
    for (const file of await readdir(CLIENTS))
      await writeFile(join(folder, file), text(await readFile(join(CLIENTS, file), 'utf8')))
    await writeFile(join(folder, 'openapi.json'), document)
    return new Workshop(folder)
  }

  /**
   * Generates a client and compiles it with the program that uses it. Rejects with the output of whichever
   * fails.
   */
  async make(name: ClientName): Promise<void> {
    const { program, args } = GENERATORS[name]
    await this.#run(program, args('openapi.json'))
    const tsconfig = `tsconfig.${name}.json`
    const config = { compilerOptions: COMPILER_OPTIONS, files: [`${name}.ts`] }
    await writeFile(join(this.#folder, tsconfig), JSON.stringify(config))
    await this.#run('tsc', ['-p', tsconfig])
  }

  /** Loads the program that uses the client, to run it in this process. */
  async load(name: ClientName): Promise<Connect> {
    const outfile = join(this.#folder, `${name}.mjs`)
    const entryPoints = [join(this.#folder, `${name}.ts`)]
    await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'error' })
    const { connect } = (await import(pathToFileURL(outfile).href)) as { connect: Connect }
    return connect
  }

  /** Returns Redocly's output for the document. Rejects if it finds an error. */
  async lintWithRedocly(): Promise<string> {
    return this.#run('redocly', ['lint', 'openapi.json', '--config', REDOCLY])
  }

  /** Returns Spectral's output for the document. Rejects if it finds an error or a warning. */
  async lintWithSpectral(): Promise<string> {
    // Its exceptions name files relative to this folder.
    await copyFile(SPECTRAL, join(this.#folder, 'spectral.yaml'))
    return this.#run('spectral', [
      'lint',
      'openapi.json',
      '--ruleset',
      'spectral.yaml',
      '--fail-severity',
      'warn',
    ])
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #run(program: string, args: readonly string[]): Promise<string> {
    const file = join(getToolsFolder(), 'node_modules', '.bin', program)
    // Turns off the tools' telemetry.
    const env = { ...process.env, NODE_OPTIONS: '', REDOCLY_TELEMETRY: 'off', DO_NOT_TRACK: '1', CI: 'true' }
    try {
      const { stdout, stderr } = await promisify(execFile)(file, [...args], { cwd: this.#folder, env })
      return stdout + stderr
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
      throw new Error(`${program} ${args.join(' ')} failed.\n${stdout}\n${stderr}`, { cause: error })
    }
  }
}

/** Strict, and also checks the declarations in the generated clients. */
const COMPILER_OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true,
}

const FUNDED_USDB = 100_000_000
const FUNDED_CENTS = 10_000
const CENTS = 2_500

interface Outcome {
  readonly session: string
  readonly execution: string
  readonly payment: string
  readonly transfer: string
  readonly fixedFee: number | undefined
}

/**
 * A customer signs in and pays from a wallet and from a USD account. The device has the key and does only
 * what needs it; the backend does the rest.
 */
export async function pay(calls: Calls, quorumPublicKey: string): Promise<Outcome> {
  const customerId = await calls.createCustomer('ada@example.com')
  const accounts = await calls.accounts(customerId)
  const wallet = accounts.find(({ type }) => type === 'EMBEDDED_WALLET')!.id
  const dollars = accounts.find(({ type, currency }) => type === 'INTERNAL_FIAT' && currency === 'USD')!.id
  await calls.fund(wallet, FUNDED_USDB)
  await calls.fund(dollars, FUNDED_CENTS)
  const bank = await calls.addBankAccount(customerId)

  const device = await DeviceKey.generate()
  const credential = await calls.findCredential(wallet)
  const bundle = await calls.challenge(credential)
  const sealed = await device.sealCode('000000', bundle, { quorumPublicKey, accountId: wallet })
  const session = await callAndSign(
    (signed) => calls.verify(credential, sealed, signed),
    (payload) => device.approveSignIn(payload, { accountId: wallet, quorumPublicKey, type: 'EMAIL_OTP' }),
  )

  const { id, transactionId, fixedFee } = await calls.quote(wallet, bank, CENTS)
  const call = signedCall('quote_execute', { params: { quoteId: id } })
  const execution = await callAndSign(
    (signed) => calls.execute(id, `pay-${id}`, signed),
    (payload) => device.approve(payload, { ...call, account: wallet }, () => true),
  )
  const payment = await waitUntilSettled(calls, transactionId)
  const transfer = await waitUntilSettled(calls, await calls.transferOut(dollars, bank, CENTS))
  return { session, execution, payment, transfer, fixedFee }
}

/** Performs a signed operation: the call, the stamp over its payload, and the same call again. */
async function callAndSign(
  call: (signed?: SignatureHeaders) => Promise<SignedCallResult>,
  approve: (payload: string) => Promise<string>,
): Promise<string> {
  const first = await call()
  if (first.status !== 202) throw new Error('The first call asked for no signature')
  const { payloadToSign, requestId } = first
  const second = await call({ signature: await approve(payloadToSign), requestId })
  if (second.status !== 200) throw new Error('The second call asked for a signature again')
  return second.state
}

const READS_MAX = 2_000

async function waitUntilSettled(calls: Calls, transactionId: string): Promise<string> {
  for (let reads = 0; reads < READS_MAX; reads++) {
    const status = await calls.transactionStatus(transactionId)
    if (status !== 'PROCESSING' && status !== 'PENDING') return status
  }
  throw new Error(`${transactionId} does not end`)
}
