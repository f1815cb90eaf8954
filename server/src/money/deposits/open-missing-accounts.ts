import { type App, plusSeconds } from '../../kernel/operation/app.ts'
import { type Background, inBackground } from '../../kernel/operation/background.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import { operate } from '../../people/platforms/operate.ts'
import { findPool } from '../rails/deposit-accounts.ts'
import { toOpen } from './open-deposit-account.ts'
import { type MissingDepositAccount, selectAccountsWithout } from './store.ts'

const INTERVAL_MS = 1_000
const ACCOUNTS_MAX = 500
/** Accounts are written in chronological order, except for slow transactions. */
const LATE_SECONDS = 60
const EVER = new Date(0)

/** Opens missing deposit accounts, in the background. */
export interface Opening extends Background {
  /** Checks all accounts again, because the rails have changed. */
  restart(): void
}

/**
 * Makes rails open deposit accounts: one for each account in a currency that they accept, and, except for
 * chains, a pool for each currency. A chain opens nothing before the server has connected to it. Several
 * processes may do so at the same time: the ids follow from rail and account.
 */
export function startOpeningAccounts(app: App): Opening {
  const since = new Map<string, Date>()
  const work = inBackground(
    INTERVAL_MS,
    () => openMissing(app, since),
    (error) => app.log.error({ err: error }, 'opening deposit accounts failed'),
  )
  return {
    ...work,
    restart() {
      since.clear()
      work.wake()
    },
  }
}

/** Opens the missing accounts of all rails. `since` is the progress of each. */
export async function openMissing(app: App, since: Map<string, Date>): Promise<void> {
  for (const rail of app.rails.list())
    if (!rail.isRetired && rail.currenciesIn.length > 0) await openFor(app, rail, since)
}

async function openFor(app: App, rail: Rail, since: Map<string, Date>): Promise<void> {
  const { name, currenciesIn } = rail
  const platformId = await app.rails.ownerOf(rail)
  if (name === null || platformId === undefined || rail.chain?.isMet() === false) return
  // A chain has no shared address: each quote has a separate one.
  if (!since.has(name) && !rail.chain) await openPools(app, name, platformId, currenciesIn)
  const missing = await selectAccountsWithout(
    app,
    platformId,
    name,
    currenciesIn,
    since.get(name) ?? EVER,
    ACCOUNTS_MAX,
  )
  const startedAt = new Date(app.clock())
  await Promise.all(missing.map((account) => open(app, platformId, name, account)))
  const last = missing.at(-1)
  const until = last && missing.length >= ACCOUNTS_MAX ? last.updated_at : startedAt
  since.set(name, plusSeconds(until, -LATE_SECONDS))
}

async function openPools(app: App, rail: string, platformId: string, currencies: readonly string[]) {
  const op = await operate(app, platformId)
  for (const currency of currencies)
    if (!(await findPool(op, rail, currency))) await app.commit(op, toOpen(op, rail, currency, null))
}

async function open(app: App, platformId: string, rail: string, { id, currency }: MissingDepositAccount) {
  const op = await operate(app, platformId)
  // Not done if another process has written it first.
  await app.commit(op, toOpen(op, rail, currency, id))
}
