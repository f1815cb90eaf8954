import { type App, addSeconds } from '../../kernel/operation/app.ts'
import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import { operate } from '../../people/platforms/operate.ts'
import { findPool } from '../rails/deposit-accounts.ts'
import { buildOpeningWrites } from './open-deposit-account.ts'
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
 * Starts a worker that opens deposit accounts at rails: one per internal account in an accepted currency and,
 * except on chains, one pool per currency. Accounts on a chain wait until the server has connected to it.
 * Several processes can run the worker, because ids derive from rail and account.
 */
export function startOpeningAccounts(app: App): Opening {
  const since = new Map<string, Date>()
  const worker = runInBackground(
    INTERVAL_MS,
    () => openMissing(app, since),
    (error) => app.log.error({ err: error }, 'failed to open deposit accounts'),
  )
  return {
    ...worker,
    restart() {
      since.clear()
      worker.wake()
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
  await Promise.all(missing.map((account) => openForAccount(app, platformId, name, account)))
  const last = missing.at(-1)
  const checkedUntil = last && missing.length >= ACCOUNTS_MAX ? last.updated_at : startedAt
  since.set(name, addSeconds(checkedUntil, -LATE_SECONDS))
}

async function openPools(app: App, rail: string, platformId: string, currencies: readonly string[]) {
  const op = await operate(app, platformId)
  for (const currency of currencies)
    if (!(await findPool(op, rail, currency)))
      await app.commit(op, buildOpeningWrites(op, rail, currency, null))
}

async function openForAccount(
  app: App,
  platformId: string,
  rail: string,
  { id, currency }: MissingDepositAccount,
) {
  const op = await operate(app, platformId)
  // The commit fails harmlessly if another process wrote the record first.
  await app.commit(op, buildOpeningWrites(op, rail, currency, id))
}
