import { isObject } from '../json/json.ts'

/** A platform's credentials with the address of its server. */
export interface Credentials {
  readonly baseUrl: string
  readonly tokenId: string
  readonly clientSecret: string
}

/** The profiles of `countersign login`. Programs that name no profile use `default`. */
export interface Profiles {
  readonly default?: string
  readonly profiles: Readonly<Record<string, Credentials>>
}

/** The places to look for credentials, instead of the usual ones. */
export interface CredentialsSource {
  readonly credentials?: string | undefined
  readonly profile?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** Credentials cannot be found or read. `message` has the remedy. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
}

const MEMBERS = ['baseUrl', 'tokenId', 'clientSecret'] as const
const VARIABLES = {
  baseUrl: 'COUNTERSIGN_BASE_URL',
  tokenId: 'COUNTERSIGN_TOKEN_ID',
  clientSecret: 'COUNTERSIGN_CLIENT_SECRET',
} as const

/**
 * Finds credentials in the first of: the file `credentials`, the named profile, the environment, the
 * `credentials.json` in the data directory that the first start of a sandbox writes, and the default profile.
 * Returns undefined if it finds nothing. Throws CredentialsError for a profile or file that is missing,
 * incomplete or unreadable.
 */
export function findCredentials(
  env: Environment,
  { credentials, profile = env.COUNTERSIGN_PROFILE || undefined }: CredentialsSource = {},
): Credentials | undefined {
  if (credentials !== undefined) return fileCredentials(credentials, true)
  if (profile !== undefined) return findProfile(env, profile)
  return (
    environmentCredentials(env) ?? fileCredentials(dataDirectoryFile(env), false) ?? defaultCredentials(env)
  )
}

/** The path of the file with credentials in the data directory. */
export function dataDirectoryFile(env: Environment): string {
  return node().path.join(env.COUNTERSIGN_DATA_DIR || '.countersign', 'credentials.json')
}

/** `$XDG_CONFIG_HOME/countersign/profiles.json`, below `~/.config` without that variable. */
export function profilesFile(env: Environment): string {
  const { os, path } = node()
  const folder = env.XDG_CONFIG_HOME || path.join(os.homedir(), '.config')
  return path.join(folder, 'countersign', 'profiles.json')
}

/** The stored profiles: without a file, an empty set. Throws CredentialsError for an unreadable file. */
export function readProfiles(env: Environment): Profiles {
  const file = profilesFile(env)
  const text = readIfThere(file)
  if (text === undefined) return { profiles: {} }
  const value = tryParseJson(text)
  if (!isProfiles(value))
    throw new CredentialsError(`${file} does not hold profiles. Remove it, and log in again.`)
  return value
}

/** Throws CredentialsError if there is no profile of this name. */
export function findProfile(env: Environment, name: string): Credentials {
  const { profiles } = readProfiles(env)
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const names = Object.keys(profiles).join(', ')
  throw new CredentialsError(
    `There is no profile "${name}"${names ? `; there is ${names}` : ''}. Make it with: countersign login --profile ${name}`,
  )
}

/** The token decides: other commands use only the other two variables. */
function environmentCredentials(env: Environment): Credentials | undefined {
  if (!env[VARIABLES.tokenId]) return undefined
  const found = Object.fromEntries(MEMBERS.map((member) => [member, env[VARIABLES[member]]]))
  if (isCredentials(found)) return found
  const missing = MEMBERS.filter((member) => !found[member]).map((member) => VARIABLES[member])
  throw new CredentialsError(`${VARIABLES.tokenId} is set, but not ${missing.join(' and ')}.`)
}

function defaultCredentials(env: Environment): Credentials | undefined {
  const { default: name } = readProfiles(env)
  return name === undefined ? undefined : findProfile(env, name)
}

function fileCredentials(path: string, isNamed: boolean): Credentials | undefined {
  const { relative, resolve } = node().path
  const file = resolve(path)
  const shown = relative('.', file).startsWith('..') ? file : relative('.', file)
  const text = readIfThere(file, shown)
  if (text === undefined) {
    if (!isNamed) return undefined
    throw new CredentialsError(
      `There is no file ${shown}. It should hold {"baseUrl", "tokenId", "clientSecret"}.`,
    )
  }
  const value = tryParseJson(text)
  const members = isObject(value) ? value : {}
  if (isCredentials(members)) return members
  const missing = MEMBERS.filter((member) => typeof members[member] !== 'string' || members[member] === '')
  throw new CredentialsError(`${shown} lacks ${missing.join(', ')}.`)
}

function readIfThere(file: string, shown = file): string | undefined {
  try {
    return node().fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CredentialsError(`${shown} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isProfiles(value: unknown): value is Profiles {
  if (!isObject(value) || !isObject(value.profiles)) return false
  const isDefaultFine = value.default === undefined || typeof value.default === 'string'
  return isDefaultFine && Object.values(value.profiles).every(isCredentials)
}

function isCredentials(value: unknown): value is Credentials {
  return (
    isObject(value) && MEMBERS.every((member) => typeof value[member] === 'string' && value[member] !== '')
  )
}

/** Loaded on use: browsers also load this file, and bundlers must not look for the modules. */
function node() {
  const { process } = globalThis
  if (typeof process?.getBuiltinModule !== 'function')
    throw new CredentialsError('Stored credentials can be read in Node, Deno and Bun only.')
  return {
    fs: process.getBuiltinModule('node:fs'),
    os: process.getBuiltinModule('node:os'),
    path: process.getBuiltinModule('node:path'),
  }
}
