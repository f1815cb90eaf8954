import { isObject } from '../json/json.ts'

/** A platform's credentials and the address of its server. */
export interface Credentials {
  readonly baseUrl: string
  readonly tokenId: string
  readonly clientSecret: string
}

/** The profiles stored by `countersign login`. `default` is used when no profile is named. */
export interface Profiles {
  readonly default?: string
  readonly profiles: Readonly<Record<string, Credentials>>
}

/** Overrides where credentials are searched. */
export interface CredentialsSource {
  readonly credentials?: string | undefined
  readonly profile?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** Credentials cannot be found or read. `message` says how to fix it. */
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
 * Returns the first credentials found in: the file `credentials`, the named profile, the environment,
 * `credentials.json` in the data directory (written by the first start of a sandbox), and the default
 * profile. Returns undefined if nothing is found. Throws CredentialsError if a profile or file is missing,
 * incomplete or unreadable.
 */
export function findCredentials(
  env: Environment,
  { credentials, profile = env.COUNTERSIGN_PROFILE || undefined }: CredentialsSource = {},
): Credentials | undefined {
  if (credentials !== undefined) return readCredentialsFile(credentials, true)
  if (profile !== undefined) return findProfile(env, profile)
  return readEnvironment(env) ?? readCredentialsFile(dataDirectoryFile(env), false) ?? readDefaultProfile(env)
}

/** Path of the credentials file in the data directory. */
export function dataDirectoryFile(env: Environment): string {
  return loadNodeModules().path.join(env.COUNTERSIGN_DATA_DIR || '.countersign', 'credentials.json')
}

/** Path of the profiles: `$XDG_CONFIG_HOME/countersign/profiles.json`, by default below `~/.config`. */
export function profilesFile(env: Environment): string {
  const { os, path } = loadNodeModules()
  const folder = env.XDG_CONFIG_HOME || path.join(os.homedir(), '.config')
  return path.join(folder, 'countersign', 'profiles.json')
}

/**
 * Reads the stored profiles; an empty set if there is no file. Throws CredentialsError if the file is
 * unreadable.
 */
export function readProfiles(env: Environment): Profiles {
  const file = profilesFile(env)
  const text = readIfExists(file)
  if (text === undefined) return { profiles: {} }
  const value = tryParseJson(text)
  if (!isProfiles(value))
    throw new CredentialsError(`${file} does not contain profiles. Remove it and log in again.`)
  return value
}

/** Throws CredentialsError if the profile does not exist. */
export function findProfile(env: Environment, name: string): Credentials {
  const { profiles } = readProfiles(env)
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const names = Object.keys(profiles).join(', ')
  throw new CredentialsError(
    `There is no profile "${name}"${names ? `; there is ${names}` : ''}. Make it with: countersign login --profile ${name}`,
  )
}

/**
 * The token id decides whether the environment counts, because other commands use only the remaining two
 * variables.
 */
function readEnvironment(env: Environment): Credentials | undefined {
  if (!env[VARIABLES.tokenId]) return undefined
  const values = Object.fromEntries(MEMBERS.map((member) => [member, env[VARIABLES[member]]]))
  if (isCredentials(values)) return values
  const missing = MEMBERS.filter((member) => !values[member]).map((member) => VARIABLES[member])
  throw new CredentialsError(`${VARIABLES.tokenId} is set, but not ${missing.join(' and ')}.`)
}

function readDefaultProfile(env: Environment): Credentials | undefined {
  const { default: name } = readProfiles(env)
  return name === undefined ? undefined : findProfile(env, name)
}

function readCredentialsFile(path: string, isNamed: boolean): Credentials | undefined {
  const { relative, resolve } = loadNodeModules().path
  const file = resolve(path)
  const displayPath = relative('.', file).startsWith('..') ? file : relative('.', file)
  const text = readIfExists(file, displayPath)
  if (text === undefined) {
    if (!isNamed) return undefined
    throw new CredentialsError(
      `${displayPath} does not exist. Create it with {"baseUrl", "tokenId", "clientSecret"}.`,
    )
  }
  const value = tryParseJson(text)
  const members = isObject(value) ? value : {}
  if (isCredentials(members)) return members
  const missing = MEMBERS.filter((member) => typeof members[member] !== 'string' || members[member] === '')
  throw new CredentialsError(`${displayPath} lacks ${missing.join(', ')}.`)
}

function readIfExists(file: string, displayPath = file): string | undefined {
  try {
    return loadNodeModules().fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CredentialsError(
      `${displayPath} cannot be read: ${error instanceof Error ? error.message : error}.`,
    )
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
  const hasValidDefault = value.default === undefined || typeof value.default === 'string'
  return hasValidDefault && Object.values(value.profiles).every(isCredentials)
}

function isCredentials(value: unknown): value is Credentials {
  return (
    isObject(value) && MEMBERS.every((member) => typeof value[member] === 'string' && value[member] !== '')
  )
}

/**
 * Loaded at run time, because browsers also load this file and bundlers must not try to resolve these
 * modules.
 */
function loadNodeModules() {
  const { process } = globalThis
  if (typeof process?.getBuiltinModule !== 'function')
    throw new CredentialsError('Stored credentials can be read in Node, Deno and Bun only.')
  return {
    fs: process.getBuiltinModule('node:fs'),
    os: process.getBuiltinModule('node:os'),
    path: process.getBuiltinModule('node:path'),
  }
}
