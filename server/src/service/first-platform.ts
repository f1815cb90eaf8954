import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { codeOf, messageOf } from '../formats/thrown.ts'
import type { App } from '../op/app.ts'
import { BASE_PATH } from '../op/base-path.ts'
import { findOpenPlatform, isAnyPlatform, makePlatform, platformIsOpen } from '../platforms/platforms.ts'
import { findTokenWithPlatform, makeApiToken } from '../tokens/tokens.ts'

/** What a platform's backend needs to call the API. The secret is shown once; only its hash is stored. */
export interface Credentials {
  readonly platformId: string
  readonly tokenId: string
  readonly clientSecret: string
}

/**
 * The permissions of a token that names none. In production REVIEW is given by name alone: who decides about customers is
 * the operator's choice.
 */
export function defaultPermissions({ config }: Pick<App, 'config'>): readonly Permission[] {
  return config.mode === 'sandbox' ? PERMISSIONS : PERMISSIONS.filter((one) => one !== 'REVIEW')
}

/** A new platform with its first token, which has the default permissions. */
export async function createPlatform(app: App, name: string, isRegulated = false): Promise<Credentials> {
  const from = { now: app.clock(), random: randomBytes, mode: app.config.mode, enclave: app.enclave }
  const { row, writes } = makePlatform(from, name, isRegulated)
  const token = makeApiToken(from, row.id, 'First token', defaultPermissions(app))
  await commit(app, [...writes, token.write])
  return { platformId: row.id, tokenId: token.row.id, clientSecret: token.clientSecret }
}

/** A further token of a platform. Throws where there is no such platform. */
export async function createToken(
  app: App,
  platformId: string,
  name: string,
  permissions: readonly Permission[],
): Promise<Credentials> {
  const platform = await findOpenPlatform(app.read, platformId)
  if (!platform) throw new Error(`There is no platform ${platformId}.`)
  const token = makeApiToken({ now: app.clock(), random: randomBytes }, platformId, name, permissions)
  await commit(app, [platformIsOpen(platform), token.write])
  return { platformId, tokenId: token.row.id, clientSecret: token.clientSecret }
}

/**
 * On the first sandbox start: a platform, and its credentials in the data directory, mode 0600; later, the present base
 * address beside them. Returns their path, or undefined where the data directory has none and the database already has
 * platforms.
 */
export async function ensureFirstPlatform(app: App, baseUrl: string): Promise<string | undefined> {
  const path = join(app.config.dataDir, 'credentials.json')
  const found = await readCredentials(path)
  // Credentials of another database are not valid here.
  const known = found && (await findTokenWithPlatform(app.lookup, found.tokenId)) ? found : undefined
  if (known?.baseUrl === baseUrl) return path
  if (!known && (await isAnyPlatform(app.read))) return undefined
  const { tokenId, clientSecret } = known ?? (await createPlatform(app, 'Sandbox'))
  const temporary = `${path}.${process.pid}.new`
  await writeFile(temporary, `${JSON.stringify({ baseUrl, tokenId, clientSecret }, null, 2)}\n`, {
    mode: 0o600,
  })
  await rename(temporary, path)
  return path
}

async function readCredentials(
  path: string,
): Promise<{ baseUrl: string; tokenId: string; clientSecret: string } | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read: ${messageOf(error)}`)
  }
}

/** The base address of the API on a host and port. */
export function baseUrlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${BASE_PATH}`
}

async function commit(app: App, writes: Parameters<App['committer']['commit']>[0]): Promise<void> {
  const result = await app.committer.commit(writes)
  if (!result.done) throw new Error(`Not written: ${result.name}`)
}
