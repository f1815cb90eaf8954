import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { chainAbsent } from '../../server/test/worlds/chain/chain.testing.ts'
import { canRunGuides, freePorts, runCommands } from './guide.testing.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test.skipIf(!canRunGuides || chainAbsent)(
  'the guide to stablecoins goes from a new chain to a day that agrees, to the letter',
  async () => {
    const work = await mkdtemp(join(tmpdir(), 'countersign-stablecoins-'))
    onTestFinished(() => rm(work, { recursive: true, force: true, maxRetries: 5 }))
    const [port, chain, bank, rates] = await freePorts(4)
    // The guide uses its own database, whatever the other tests use.
    const { stdout } = await runCommands('stablecoins.md', {
      REPO: ROOT,
      WORK: work,
      PORT: port!,
      CHAIN_PORT: chain!,
      BANK_PORT: bank!,
      RATES_PORT: rates!,
      DATABASE_URL: '',
    })
    const [first, checked, ...said] = stdout.trim().split('\n')
    expect(first).toBe('The gas 0 account has no ETH for gas.')
    expect(checked).toMatch(/^ok +base +The nodes respond/)
    expect(said).toEqual([
      ...['1', '25000000', 'CREDITED'],
      ...['ETH', 'COMPLETED', '0x1'],
      ...['1', '100000', 'COMPLETED', '50000000'],
      '0',
    ])
  },
)
