import { type App, addSeconds } from '../../../kernel/operation/app.ts'
import { NodeError, toBlockTime } from '../../../kernel/ports/chain-nodes.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import { insert, update } from '../../../storage/commit/writes.ts'
import type { ChainRow } from '../../../storage/rows/chain.ts'
import { buildAddressRow } from '../address-rows.ts'
import { readFacts, WrongChain } from '../chain-facts.ts'
import { type ChainWorker, type EvmRail, isEvmRail, listGasNames, TREASURY } from '../evm-rail.ts'
import { pathOf } from '../formats/paths.ts'
import { deriveAddressId, deriveChainRecordId } from '../ids.ts'
import { findChain } from '../records.ts'
import { readTreasury } from '../rotation.ts'
import { STEPS } from './steps.ts'
import { watchLevels } from './watch-levels.ts'

/** If the process that works on a chain dies, the chain's payments and deposits wait up to this long. */
const CLAIM_SECONDS = 4
/**
 * A step may be slow, so a claim is renewed well before it expires. Two processes working in parallel would
 * only duplicate queries.
 */
const RENEW_SECONDS = 1
const PAUSE_SECONDS_MAX = 30
const EPOCH = new Date(0)

/** This process's claim on a chain, and its backoff after failures. */
export interface Hold {
  /** The rail that the claim is for. After a reload, a rail of the same name may be on another chain. */
  rail: EvmRail | undefined
  claimedUntil: Date
  pausedUntil: Date
  failures: number
}

/** Runs the worker once for each chain. A failure is logged, and that chain then pauses for a while. */
export async function runAllChains(app: App, holds: Map<string, Hold>): Promise<void> {
  await Promise.all(
    app.rails
      .list()
      .filter(isEvmRail)
      .map((rail) => runChain(app, rail, getHold(holds, rail))),
  )
}

function getHold(holds: Map<string, Hold>, { name }: EvmRail): Hold {
  const existing = holds.get(name) ?? {
    rail: undefined,
    claimedUntil: EPOCH,
    pausedUntil: EPOCH,
    failures: 0,
  }
  holds.set(name, existing)
  return existing
}

async function runChain(app: App, rail: EvmRail, hold: Hold): Promise<void> {
  if (app.clock() < hold.pausedUntil) return
  try {
    const platformId = await app.rails.ownerOf(rail)
    if (platformId === undefined) return
    const worker = { app, rail, platformId }
    rail.facts ??= await readFacts(rail.entry, rail.nodes)
    const isClaimed = await claimChain(worker, hold)
    await watchLevels(worker)
    if (!isClaimed) return
    for (const step of STEPS) {
      await step(worker)
      // Finish the run even if the claim is lost: otherwise two slow processes would forever keep each other
      // from the last steps.
      await claimChain(worker, hold)
    }
    hold.failures = 0
  } catch (error) {
    hold.failures += 1
    hold.pausedUntil = addSeconds(app.clock(), Math.min(2 ** hold.failures / 2, PAUSE_SECONDS_MAX))
    const isChainFault = error instanceof NodeError || error instanceof WrongChain
    app.metrics.chainAlert(rail.name, isChainFault ? 'nodes' : 'work')
    app.log.error(
      isChainFault ? { rail: rail.name, why: error.message } : { rail: rail.name, err: error },
      'chain work has stopped',
    )
  }
}

/** True if this process may work on the chain. Renews its claim when necessary. */
async function claimChain(worker: ChainWorker, hold: Hold): Promise<boolean> {
  const { app, rail } = worker
  const now = app.clock()
  if (hold.rail === rail && addSeconds(now, CLAIM_SECONDS - RENEW_SECONDS) < hold.claimedUntil) return true
  const op = await createRailOp(worker)
  const id = deriveChainRecordId(rail.name)
  const existing = (await findChain(op, rail.name)) ?? (await startFollowing(worker))
  if (!existing) return false
  checkSameChain(rail, existing)
  hold.rail = rail
  rail.followedBlock = existing.followed_block
  await readTreasury(op.read, rail, existing.treasury_id)
  // Only one process can open the embedded database, so a claim in it is this process's own or a dead
  // process's.
  const isOwn = app.db.kind === 'embedded' || existing.claimed_until.getTime() === hold.claimedUntil.getTime()
  if (!isOwn && existing.claimed_until > now) return false
  const until = addSeconds(now, CLAIM_SECONDS)
  const guard = { claimed_until: existing.claimed_until }
  const { done } = await app.commit(op, [update('chains', id, guard, { claimed_until: until })])
  hold.claimedUntil = done ? until : EPOCH
  return done
}

/** Creates the records of a chain that is reached for the first time. It is followed from then on. */
async function startFollowing(worker: ChainWorker): Promise<ChainRow | undefined> {
  const { app, rail, platformId } = worker
  const { name, entry, facts, nodes } = rail
  if (!facts) return undefined
  const head = await nodes.head()
  const depth = BigInt(entry.confirmations)
  const from = head.number > depth ? head.number - depth : 0n
  const block = await nodes.block(from)
  if (!block) return undefined
  const op = await createRailOp(worker)
  const row: ChainRow = {
    id: deriveChainRecordId(name),
    platform_id: platformId,
    rail: name,
    chain_number: BigInt(entry.chainId),
    genesis: facts.genesis,
    tokens: facts.tokens,
    followed_block: block.number,
    followed_hash: block.hash,
    followed_time: toBlockTime(block),
    highest_block: block.number,
    latest_time: toBlockTime(block),
    cold_version: 0,
    treasury_id: deriveAddressId(name, TREASURY),
    swept_at: EPOCH,
    claimed_until: EPOCH,
    created_at: op.now,
    updated_at: op.now,
  }
  const ownAccounts = [
    [TREASURY, 'TREASURY'] as const,
    ...listGasNames(entry).map((account) => [account, 'GAS'] as const),
  ]
  const addresses = ownAccounts.map(([purpose, role]) => {
    const path = pathOf(name, role, purpose)
    const address = app.enclave.chainAddress(path)
    return insert(
      'chain_addresses',
      buildAddressRow(name, op, { purpose, address, role, path, ownerId: null }),
    )
  })
  const { done } = await app.commit(op, [insert('chains', row), ...addresses])
  return done ? row : findChain(await createRailOp(worker), name)
}

/**
 * A rail stays on its first chain forever. Otherwise records of one chain would be mistaken for another's.
 */
function checkSameChain({ entry, facts }: EvmRail, { chain_number, genesis }: ChainRow): void {
  if (chain_number !== BigInt(entry.chainId) || genesis !== facts?.genesis)
    throw new WrongChain(
      `this rail was used with chain ${chain_number} before, whose genesis block is ${genesis}`,
    )
}

/** Releases all claims, so that other processes can take over. */
export async function releaseAll(app: App, holds: ReadonlyMap<string, Hold>): Promise<void> {
  for (const rail of app.rails.list().filter(isEvmRail)) {
    const claimedUntil = holds.get(rail.name)?.claimedUntil ?? EPOCH
    const platformId = await app.rails.ownerOf(rail)
    if (claimedUntil === EPOCH || platformId === undefined) continue
    const op = await createRailOp({ app, rail, platformId })
    const guard = { claimed_until: claimedUntil }
    await app.commit(op, [update('chains', deriveChainRecordId(rail.name), guard, { claimed_until: EPOCH })])
  }
}
