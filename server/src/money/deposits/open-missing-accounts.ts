import { type App, plusSeconds } from '../../kernel/operation/app.ts'
import { type Background, inBackground } from '../../kernel/operation/background.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import { operate } from '../../people/platforms/operate.ts'
import { findPool } from '../rails/deposit-accounts.ts'
import { openingWrites } from './open-deposit-account.ts'
import { type MissingDepositAccount, selectAccountsWithout } from './store.ts'

const INTERVAL_MS = 1_000
const ACCOUNTS_MAX = 500
/** Rows become visible in the order of `updated_at`, except for slow transactions. */
const LATE_SECONDS = 60
const BEGINNING = new Date(0)

/** The background worker that opens missing deposit accounts. */
export interface Opening extends Background {
  /** Checks all accounts again after a change of the rails. */
  restart(): void
}

/**
 * Starts a worker that has rails open deposit accounts: one per internal account in a currency that the rail
 * accepts and, unless the rail is a chain, one pool per currency. A chain waits until the server has
 * connected to it. Safe in several processes at the same time, because ids derive from rail and account.
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

/** Opens the missing accounts of all rails. `since` holds the progress of each rail. */
export async function openMissing(app: App, since: Map<string, Date>): Promise<void> {
  for (const rail of app.rails.list())
    if (!rail.isRetired && rail.currenciesIn.length > 0) await openForRail(app, rail, since)
}

async function openForRail(app: App, rail: Rail, since: Map<string, Date>): Promise<void> {
  const { name, currenciesIn } = rail
  const platformId = await app.rails.ownerOf(rail)
  if (name === null || platformId === undefined || rail.chain?.isReached() === false) return
  // Chains have no pools: each quote gets its own address.
  if (!since.has(name) && !rail.chain) await openPools(app, name, platformId, currenciesIn)
  const missing = await selectAccountsWithout(
    app,
    platformId,
    name,
    currenciesIn,
    since.get(name) ?? BEGINNING,
    ACCOUNTS_MAX,
  )
  const startedAt = new Date(app.clock())
  await Promise.all(missing.map((account) => open(app, platformId, name, account)))
  const last = missing.at(-1)
  const checkedUntil = last && missing.length >= ACCOUNTS_MAX ? last.updated_at : startedAt
  since.set(name, plusSeconds(checkedUntil, -LATE_SECONDS))
}

async function openPools(app: App, rail: string, platformId: string, currencies: readonly string[]) {
  const op = await operate(app, platformId)
  for (const currency of currencies)
    if (!(await findPool(op, rail, currency))) await app.commit(op, openingWrites(op, rail, currency, null))
}

async function open(app: App, platformId: string, rail: string, { id, currency }: MissingDepositAccount) {
  const op = await operate(app, platformId)
  // The commit fails harmlessly if another process wrote the record first.
  await app.commit(op, openingWrites(op, rail, currency, id))
}
