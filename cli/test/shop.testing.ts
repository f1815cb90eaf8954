import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Countersign } from '@countersign/sdk'
import { makeFundedCustomer, makePlatform } from '../../sdk/test/platform.testing.ts'
import { readConfig } from '../../server/src/base/settings/config.ts'
import { runAdmin } from '../../server/src/edge/commands/admin.ts'
import { main } from '../src/program.ts'
import type { Io, ServerProgramResult } from '../src/terminal/io.ts'

/** The built program, for tests of behavior that only a process shows. */
export const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))

export interface Run {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** A command that runs until it is stopped. */
interface Running {
  /** The output so far, from both streams. */
  readonly output: string
  /** Resolves once the output contains the text; rejects if the command ends without it. */
  until(text: string): Promise<string>
  /** Stops it like Ctrl-C. Resolves to its exit code. */
  end(): Promise<number>
}

/** Runs a command in this process, without a terminal. Needs absolute paths, as it shares the tests' folder. */
export async function run(args: readonly string[], env: Environment = {}): Promise<Run> {
  let stdout = ''
  let stderr = ''
  const exitCode = await main(args, {
    ...buildIo(env),
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  })
  return { exitCode, stdout, stderr }
}

/** Starts a command that ends with Ctrl-C, such as `agent watch`. */
export function start(args: readonly string[], env: Environment = {}): Running {
  const controller = new AbortController()
  const waiting = new Set<() => void>()
  let output = ''
  const write = (text: string) => {
    output += text
    for (const look of waiting) look()
  }
  const ended = main(args, {
    ...buildIo(env),
    stdout: { write },
    stderr: { write },
    interrupted: controller.signal,
  })
  return {
    get output() {
      return output
    },
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (output.includes(text)) resolve(output)
        }
        waiting.add(look)
        look()
        ended.then((code) => reject(new Error(`It ended with ${code}: ${output}`)), reject)
      }),
    end() {
      controller.abort()
      return ended
    },
  }
}

function buildIo(env: Environment): Pick<Io, 'stdin' | 'env' | 'serverProgram'> {
  return { stdin: {}, env, serverProgram: (args) => serverProgram(args, env) }
}

/** Runs the server executable's operator commands, as its main file does. */
async function serverProgram(args: readonly string[], env: Environment): Promise<ServerProgramResult> {
  try {
    const result = await runAdmin(readConfig({ LOG_LEVEL: 'silent', ...env }), args)
    return { exitCode: 0, output: `${JSON.stringify(result)}\n`, errors: '' }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { exitCode: 1, output: '', errors: `countersign: ${message}\n` }
  }
}

/**
 * Creates a platform whose credentials are in their usual place below `folder`, and a customer who has these
 * amounts in the wallet and in US dollars.
 */
export async function makeShop(
  folder: string,
  { usdb, usd }: { readonly usdb: bigint; readonly usd: bigint },
) {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const credentials = await makePlatform()
  await writeFile(join(dataDir, 'credentials.json'), JSON.stringify(credentials))
  const countersign = new Countersign(credentials)
  const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: usdb })
  const { usdId: accountId } = customer
  await countersign.call('sandbox_account_fund', { params: { accountId }, body: { amount: usd } })
  const env = { COUNTERSIGN_DATA_DIR: dataDir }
  return { countersign, customer, dataDir, env, run: (...args: string[]) => run(args, env) }
}
