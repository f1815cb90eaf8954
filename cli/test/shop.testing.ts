import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Countersign } from '@countersign/sdk'
import { makeFundedCustomer, makePlatform } from '../../sdk/test/platform.testing.ts'

/** The program as it is built. */
export const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))

export interface Run {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * A platform whose credentials are where the program looks for them, below `folder`, with a customer who has these amounts in
 * the wallet and in US dollars; and the program, running commands of one family.
 */
export async function makeShop(
  folder: string,
  family: 'agent' | 'card',
  { usdb, usd }: { readonly usdb: bigint; readonly usd: bigint },
) {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const credentials = await makePlatform()
  await writeFile(join(dataDir, 'credentials.json'), JSON.stringify(credentials))
  const countersign = new Countersign(credentials)
  const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: usdb })
  const { usdId: accountId } = customer
  await countersign.call('sandbox_account_fund', { params: { accountId }, body: { amount: usd } })
  const env = { ...process.env, COUNTERSIGN_DATA_DIR: dataDir }
  const run = (...args: string[]) =>
    new Promise<Run>((resolve) => {
      execFile(
        process.execPath,
        [PROGRAM, family, ...args],
        { cwd: folder, env },
        (error, stdout, stderr) => {
          resolve({ exitCode: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
        },
      )
    })
  return { countersign, customer, dataDir, env, run }
}
