import { randomBytes } from 'node:crypto'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PERMISSIONS, type Permission } from '@countersign/contract/endpoint'
import type { App } from './app.ts'
import { BASE_PATH } from './http/base-path.ts'
import { makePlatform } from './platforms/platforms.ts'
import { makeToken } from './tokens/tokens.ts'

/** What a platform's backend needs to call the API. The secret is shown once and stored as a hash. */
export interface Credentials {
  readonly platformId: string
  readonly tokenId: string
  readonly clientSecret: string
}

/** A new platform with its first token, which has every permission. */
export async function createPlatform(app: App, name: string): Promise<Credentials> {
  const from = { now: app.clock(), random: randomBytes }
  const { row, writes } = makePlatform(from, name)
  const token = makeToken(from, row.id, 'First token', PERMISSIONS)
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
  const platform = await app.read
    .selectFrom('platforms')
    .select('id')
    .where('id', '=', platformId)
    .executeTakeFirst()
  if (!platform) throw new Error(`There is no platform ${platformId}.`)
  const token = makeToken({ now: app.clock(), random: randomBytes }, platformId, name, permissions)
  await commit(app, [token.write])
  return { platformId, tokenId: token.row.id, clientSecret: token.clientSecret }
}

/**
 * On the first sandbox start: a platform, and its credentials in the data directory, mode 0600. Gives their place, or
 * undefined where the data directory has none and the database already has platforms.
 */
export async function ensureFirstPlatform(app: App, baseUrl: string): Promise<string | undefined> {
  const path = join(app.config.dataDir, 'credentials.json')
  if (await isThere(path)) return path
  const some = await app.read.selectFrom('platforms').select('id').limit(1).executeTakeFirst()
  if (some) return undefined
  const { tokenId, clientSecret } = await createPlatform(app, 'Sandbox')
  const text = JSON.stringify({ baseUrl, tokenId, clientSecret }, null, 2)
  await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' })
  return path
}

/** The base address of the API on a host and port. */
export function baseUrlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${BASE_PATH}`
}

async function commit(app: App, writes: Parameters<App['committer']['commit']>[0]): Promise<void> {
  const result = await app.committer.commit(writes)
  if (!result.done) throw new Error(`Not written: ${result.name}`)
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
