import { messageOf } from '../../base/formats/thrown-errors.ts'
import type { App } from '../../kernel/operation/app.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import { operate } from '../../people/platforms/operate.ts'
import type { AdminCommands } from './admin-command.ts'

/** The operator's commands for the rails of RAILS_FILE. */
export const RAIL_COMMANDS = {
  'rails list': async (app) => ({ data: await routingTable(app) }),
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

/** The lines of the routing table in order, each with the payments that it currently takes. */
async function routingTable(app: App): Promise<object[]> {
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
 * Sends a rail a signed request that moves no money, and describes the result. For a chain, reports all
 * monitored values.
 */
async function checkRail(app: App, rail: Rail): Promise<object> {
  const { name } = rail
  const platformId = await app.rails.ownerOf(rail)
  if (platformId === undefined)
    return { rail: name, ok: false, says: 'It belongs to no platform yet: create one.' }
  try {
    if (rail.chain) {
      const { facts, faults } = await (await import('../../outside/chains/chain-report.ts')).checkChain(
        app,
        rail,
        platformId,
      )
      const says = faults.length === 0 ? 'Its nodes respond.' : faults.join(' ')
      return { rail: name, ok: faults.length === 0, says, facts }
    }
    if (rail.entry?.kind === 'bank-files') {
      const { checkBankFiles } = await import('../../outside/bank-files/check-bank-files.ts')
      const { facts, faults } = await checkBankFiles(app, rail, platformId)
      const says = faults.length === 0 ? 'Its folders can be listed and written.' : faults.join(' ')
      return { rail: name, ok: faults.length === 0, says, facts }
    }
    if (!rail.balances) return { rail: name, ok: true, says: 'It has no address to call.' }
    const balances = await rail.balances(await operate(app, platformId))
    const remaining = [...balances].map(([currency, amount]) => `${amount} ${currency}`).join(', ')
    return {
      rail: name,
      ok: true,
      says: `It responds, accepts our signature, and holds ${remaining || 'nothing'}.`,
    }
  } catch (error) {
    return { rail: name, ok: false, says: `${messageOf(error)}.` }
  }
}
