import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { getErrorCode, getErrorSentence } from '../../base/formats/thrown-errors.ts'
import { buildAuditEntryOutsideApi } from '../../kernel/audit/audit-trail.ts'
import { type App, createOp } from '../../kernel/operation/app.ts'
import { getPublicBasePath } from '../../kernel/operation/base-path.ts'
import {
  findOpenPlatform,
  guardPlatformOpen,
  isAnyPlatform,
  makePlatform,
} from '../../people/platforms/platforms.ts'
import { deleteToken, findTokenWithPlatform, makeApiToken } from '../../people/tokens/tokens.ts'

/** The credentials of a platform's backend. The secret is shown once; only its hash is stored. */
export interface Credentials {
  readonly platformId: string
  readonly tokenId: string
  readonly clientSecret: string
}

/**
 * The default permissions of a token. In production, REVIEW must be requested explicitly, because the
 * operator chooses who decides about customers.
 */
export function getDefaultPermissions({ config }: Pick<App, 'config'>): readonly Permission[] {
  return config.mode === 'sandbox' ? PERMISSIONS : PERMISSIONS.filter((permission) => permission !== 'REVIEW')
}

/** Creates a platform and its first token, with the default permissions. */
export async function createPlatform(app: App, name: string, isRegulated = false): Promise<Credentials> {
  const source = {
    now: app.clock(),
    random: randomBytes,
    mode: app.config.mode,
    enclave: app.enclave.forOperation(),
  }
  const { row, writes } = makePlatform(source, name, isRegulated)
  const token = makeApiToken(source, row.id, 'First token', getDefaultPermissions(app))
  const op = createOp(app, row, { kind: 'operator' })
  const entry = buildAuditEntryOutsideApi(op, 'platform_create', { params: { platformId: row.id } })
  await commit(app, [...writes, token.write, ...entry])
  return { platformId: row.id, tokenId: token.row.id, clientSecret: token.clientSecret }
}

/** Creates another token for a platform. Throws if the platform does not exist. */
export async function createToken(
  app: App,
  platformId: string,
  name: string,
  permissions: readonly Permission[],
): Promise<Credentials> {
  const platform = await findOpenPlatform(app.read, platformId)
  if (!platform) throw new Error(`Platform ${platformId} not found.`)
  const token = makeApiToken({ now: app.clock(), random: randomBytes }, platformId, name, permissions)
  const op = createOp(app, platform, { kind: 'operator' })
  const entry = buildAuditEntryOutsideApi(op, 'token_create', { params: { tokenId: token.row.id } })
  await commit(app, [guardPlatformOpen(platform), token.write, ...entry])
  return { platformId, tokenId: token.row.id, clientSecret: token.clientSecret }
}

/**
 * On a sandbox's first start, creates a platform and stores its credentials in the data directory with mode
 * 0600. Later starts update the stored base URL. Undefined if there are platforms but no stored credentials
 * for this database.
 */
export async function ensureFirstPlatform(
  app: App,
  baseUrl: string,
): Promise<{ readonly path: string; readonly platformId: string } | undefined> {
  const path = join(app.config.dataDir, 'credentials.json')
  const stored = await readCredentials(path)
  // Credentials stored for another database are not valid here.
  const owner = stored && (await findTokenWithPlatform(app.lookup, stored.tokenId))
  if (owner && stored.baseUrl === baseUrl) return { path, platformId: owner.platform.id }
  if (!owner && (await isAnyPlatform(app.read))) return undefined
  const { tokenId, clientSecret, platformId } =
    stored && owner ? { ...stored, platformId: owner.platform.id } : await createPlatform(app, 'Sandbox')
  const temporary = `${path}.${process.pid}.new`
  await writeFile(temporary, `${JSON.stringify({ baseUrl, tokenId, clientSecret }, null, 2)}\n`, {
    mode: 0o600,
  })
  await rename(temporary, path)
  return { path, platformId }
}

async function readCredentials(
  path: string,
): Promise<{ baseUrl: string; tokenId: string; clientSecret: string } | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read: ${getErrorSentence(error)}`)
  }
}

/** The API's base URL for a host and port, with the prefix of `COUNTERSIGN_BASE_PATH`. */
export function formatBaseUrl(host: string, port: number, pathPrefix = ''): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${getPublicBasePath({ pathPrefix })}`
}

/** Revokes a token on behalf of the operator. Throws if the token does not exist. */
export async function revokeToken(app: App, tokenId: string): Promise<void> {
  const tokenRow = await findTokenWithPlatform(app.lookup, tokenId)
  if (!tokenRow) throw new Error(`Token ${tokenId} not found.`)
  const op = createOp(app, await app.withConfig(tokenRow.platform), { kind: 'operator' })
  const entry = buildAuditEntryOutsideApi(op, 'token_delete', { params: { tokenId: tokenRow.token.id } })
  await commit(app, [deleteToken(tokenRow.token, app.clock()), ...entry])
}

async function commit(app: App, writes: Parameters<App['committer']['commit']>[0]): Promise<void> {
  const result = await app.committer.commit(writes)
  if (!result.done) throw new Error(`The change was not committed: ${result.name}.`)
}
