import { afterEach, expect, test, vi } from 'vitest'
import { runAgents } from '../src/agents.ts'
import { runCards } from '../src/cards.ts'
import { runCells } from '../src/cells.ts'
import { runConsole } from '../src/console.ts'
import { runMatches } from '../src/matches.ts'
import { runPayouts } from '../src/payouts.ts'
import { runSigned } from '../src/signed.ts'
import { runTransfers } from '../src/transfers.ts'
import { runWebhooks } from '../src/webhooks.ts'

const OPTIONS = { database: 'postgres', seconds: 1, rounds: 1, isShort: true } as const
const BENCHES = {
  transfers: runTransfers,
  signed: runSigned,
  cards: runCards,
  payouts: runPayouts,
  agents: runAgents,
  webhooks: runWebhooks,
  cells: runCells,
  console: runConsole,
  matches: runMatches,
}

afterEach(() => {
  vi.restoreAllMocks()
})

test.each(Object.entries(BENCHES))(
  'the bench %s runs on a new PostgreSQL and prints a table with a rate',
  async (_, run) => {
    let printed = ''
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += text
      return true
    })
    await run(OPTIONS)
    vi.restoreAllMocks()
    expect(printed).toMatch(/^ .*\bper second\b/m)
    expect(printed).toMatch(/\d\.\d\d$/m)
  },
)
