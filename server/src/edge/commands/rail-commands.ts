import { getErrorSentence } from '../../base/formats/thrown-errors.ts'
import type { App } from '../../kernel/operation/app.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import { operate } from '../../people/platforms/operate.ts'
import type { AdminCommands } from './admin-command.ts'

/** The operator's commands for the rails of RAILS_FILE. */
export const RAIL_COMMANDS = {
  'rails list': async (app) => ({ data: await listRoutes(app) }),
  'bank-files retry': async (app, { rail, file }) => {
    const { retryRefused } = await import('../../outside/bank-files/retry-refused.ts')
    return { data: await retryRefused(app, readText(rail), readText(file)) }
  },
  'rails check': async (app, { rail }) => {
    const selected = app.rails.list().filter(({ name }) => rail === undefined || name === rail)
    if (rail !== undefined && selected.length === 0) throw new Error(`Rail ${rail} not found in RAILS_FILE.`)
    return { data: await Promise.all(selected.map((selectedRail) => checkRail(app, selectedRail))) }
  },
} satisfies AdminCommands

function readText(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Lists the lines of the routing table in order, each with its current state. */
async function listRoutes(app: App): Promise<object[]> {
  const rails = app.rails.list()
  const owners = await Promise.all(rails.map((rail) => app.rails.ownerOf(rail)))
  return rails.flatMap(({ name, entry, isRetired, opensAt, chain }, index) =>
    (entry?.serves ?? []).map((line) => {
      const opens = opensAt(app.clock())
      return {
        rail: name,
        kind: entry?.kind,
        platform: owners[index] ?? null,
        ...(chain ? { chainId: chain.chainId, treasury: chain.treasury } : {}),
        ...line,
        limits: entry?.limits?.filter(({ currency }) => line.currencies.includes(currency)) ?? [],
        now: isRetired ? 'retired' : opens > app.clock() ? `closed until ${opens.toISOString()}` : 'open',
      }
    }),
  )
}

/**
 * Sends a rail a signed request that moves no money, and describes the result. For a chain, it also reports
 * all monitored values.
 */
async function checkRail(app: App, rail: Rail): Promise<object> {
  const { name } = rail
  const platformId = await app.rails.ownerOf(rail)
  if (platformId === undefined)
    return { rail: name, ok: false, says: 'No platform owns this rail yet. Create a platform.' }
  try {
    if (rail.chain) {
      const { facts, faults } = await (await import('../../outside/chains/chain-report.ts')).checkChain(
        app,
        rail,
        platformId,
      )
      const says = faults.length === 0 ? 'The nodes respond.' : faults.join(' ')
      return { rail: name, ok: faults.length === 0, says, facts }
    }
    if (rail.entry?.kind === 'bank-files') {
      const { checkBankFiles } = await import('../../outside/bank-files/check-bank-files.ts')
      const { facts, faults } = await checkBankFiles(app, rail, platformId)
      const says = faults.length === 0 ? 'The folders can be listed and written.' : faults.join(' ')
      return { rail: name, ok: faults.length === 0, says, facts }
    }
    if (!rail.balances) return { rail: name, ok: true, says: 'This rail has no URL to call.' }
    const balances = await rail.balances(await operate(app, platformId))
    const remaining = [...balances].map(([currency, amount]) => `${amount} ${currency}`).join(', ')
    return {
      rail: name,
      ok: true,
      says: `The rail responds and accepts the server's signature. Its balance is ${remaining || 'zero'}.`,
    }
  } catch (error) {
    return { rail: name, ok: false, says: getErrorSentence(error) }
  }
}
