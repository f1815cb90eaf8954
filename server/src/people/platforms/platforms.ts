import { makeInternalAccount } from '../../kernel/accounts/accounts.ts'
import { idsOf, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { OperationEnclave } from '../../kernel/ports/enclave.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import type { PlatformRow } from '../../storage/rows/tables.ts'
import { buildFirstSecret } from './first-secret.ts'
import {
  buildDefaultConfig,
  listAccountCurrencies,
  type Mode,
  type PlatformConfig,
  readPlatformConfig,
} from './platform-config.ts'
import {
  hasPlatforms,
  selectOldestPlatform,
  selectOpenPlatform,
  selectOpenPlatforms,
  selectPlatform,
} from './store.ts'

const UMA_SUBDOMAIN_BYTES = 5

/** Creates a platform with its own accounts. A regulated platform verifies its customers itself. */
export function makePlatform(
  from: {
    readonly now: Date
    readonly random: (bytes: number) => Uint8Array
    readonly mode: Mode
    readonly enclave: OperationEnclave
  },
  name: string,
  isRegulated = false,
): { readonly row: PlatformRow; readonly writes: readonly Write[] } {
  const config = {
    ...buildDefaultConfig(from.mode, Buffer.from(from.random(UMA_SUBDOMAIN_BYTES)).toString('hex')),
    isRegulatedFinancialInstitution: isRegulated,
  }
  const { row, writes } = openPlatform(from.now, name, config)
  const secret = insert('webhook_secrets', buildFirstSecret(row, from.enclave.keyGeneration))
  return { row, writes: from.enclave.addGuard([...writes, secret]) }
}

/**
 * Creates an empty platform that replaces this one, with the same name, settings and tokens, but in real
 * time. The database moves the records to keep: see `functions/platform-succeeded.ts`. Guard: the platform is
 * unchanged; throws 409 if it was already reset.
 */
export async function createSuccessor(
  op: Op,
): Promise<{ readonly row: PlatformRow; readonly writes: readonly Write[] }> {
  const { id, name, config, version, closed_at } = await selectPlatform(op)
  if (closed_at)
    throw new ApiError('CONFLICT', { message: 'Another request has already reset this platform.' })
  const realNow = new Date(op.now.getTime() - Number(op.platform.clock_offset_ms))
  const successor = openPlatform(realNow, name, config)
  const closed = {
    closed_at: realNow,
    successor_id: successor.row.id,
    version: version + 1,
    updated_at: realNow,
  }
  return {
    row: successor.row,
    writes: [...successor.writes, update('platforms', id, { version, closed_at: null }, closed)],
  }
}

function openPlatform(
  now: Date,
  name: string,
  config: PlatformRow['config'],
): { readonly row: PlatformRow; readonly writes: readonly Write[] } {
  const newId = idsOf(now)
  const row: PlatformRow = {
    id: newId('Platform'),
    name,
    config,
    clock_offset_ms: 0n,
    version: 1,
    closed_at: null,
    successor_id: null,
    created_at: now,
    updated_at: now,
  }
  const owner: Pick<Op, 'now' | 'platform' | 'newId'> = { now, platform: row, newId }
  const { supportedCurrencies } = config as Pick<PlatformConfig, 'supportedCurrencies'>
  const accounts = listAccountCurrencies({ supportedCurrencies }).flatMap((currency) =>
    makeInternalAccount(owner, null, currency),
  )
  return { row, writes: [insert('platforms', row), ...accounts] }
}

/**
 * Reads the platform, for writes guarded by its version. Throws 503 if it was reset during the request; a
 * retry finds its successor.
 */
export async function findPlatform(op: Op): Promise<PlatformRow> {
  const platform = await selectPlatform(op)
  if (platform.closed_at)
    throw new ApiError('UNAVAILABLE', { message: 'The platform was reset during this request. Try again.' })
  return platform
}

/** True if the platform accepts unknown fields. Called only when a request contains one, which is rare. */
export async function isLenient(op: Op): Promise<boolean> {
  return readPlatformConfig(op, await findPlatform(op)).lenientInput
}

/** Marks a change of the platform. Guard: the platform is unchanged. */
export function markPlatformChanged(op: Op, { id, version }: PlatformRow): Write {
  return update('platforms', id, { version }, { version: version + 1, updated_at: op.now })
}

/**
 * Guard: the platform has not been reset. Otherwise, the writes could miss the move to its successor.
 */
export function guardPlatformOpen({ id }: Pick<PlatformRow, 'id'>): Write {
  return expectRow('platforms', id, { closed_at: null })
}

/** Lists all platforms that were not reset, as the operator's command shows them. */
export async function listPlatforms(read: Read) {
  return (await selectOpenPlatforms(read)).map(({ id, name, config, created_at }) => ({
    id,
    name,
    isRegulated: config.isRegulatedFinancialInstitution === true,
    createdAt: created_at.toISOString(),
  }))
}

/** Finds a platform that was not reset. */
export async function findOpenPlatform(read: Read, id: string): Promise<PlatformRow | undefined> {
  return selectOpenPlatform(read, id)
}

/** True if the database contains a platform, reset or not. */
export async function isAnyPlatform(read: Read): Promise<boolean> {
  return hasPlatforms(read)
}

/** Finds the id of the server's oldest platform. Undefined if the server has no platform. */
export async function findOldestPlatform(read: Read): Promise<string | undefined> {
  return selectOldestPlatform(read)
}
