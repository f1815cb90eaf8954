import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { canRunGuides, freePorts, runCommands } from './guide.testing.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test.skipIf(!canRunGuides)(
  'the guide to production goes from an empty machine to a reconciled statement, to the letter',
  async () => {
    const work = await mkdtemp(join(tmpdir(), 'countersign-walk-'))
    onTestFinished(() => rm(work, { recursive: true, force: true, maxRetries: 5 }))
    const [port, bank, rates] = await freePorts(3)
    // The guide uses its own database, whatever the other tests use.
    const env = {
      REPO: ROOT,
      WORK: work,
      PORT: port!,
      BANK_PORT: bank!,
      RATES_PORT: rates!,
      DATABASE_URL: '',
    }
    const { stdout } = await runCommands('production.md', env)
    const [checked, ...said] = stdout.trim().split('\n')
    expect(checked).toMatch(/^ok +example-bank +The rail responds/)
    expect(said).toEqual([
      ...['APPROVED', '1', '100000', 'Grace Hopper'],
      ...['COMPLETED', '1', '1000000', 'COMPLETED'],
      ...['COMPLETED', '80000'],
      ...['BALANCED', 'BALANCED', 'no differences', '7', '2'],
    ])
  },
)
