import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { chainAbsent } from '../../server/test/worlds/chain/chain.testing.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test.skipIf(chainAbsent)(
  'the demo on a chain shows a wallet that pays a wallet, with the hash and the block',
  async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(ROOT, 'scripts/demo.mjs'), '--chain'],
      { env: { ...process.env, DATABASE_URL: '' } },
    )
    expect(stdout).toMatch(/hash +0x[0-9a-f]{64}\n/)
    expect(stdout).toMatch(/block +\d+, 0x[0-9a-f]{64}\n/)
    expect(stdout).toMatch(/status +COMPLETED after \d+ ms\n/)
    expect(stdout.trimEnd()).toMatch(/balance +25\.000000 USDC$/)
  },
)
