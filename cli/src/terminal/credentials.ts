import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { isObject } from '@countersign/contract/core/decode'
import { Failure } from './failure.ts'
import { profileOf, readProfiles } from './profiles.ts'
import { isMissing, messageOf } from './thrown.ts'
import { wireWord } from './wire-word.ts'

export interface Credentials {
  readonly baseUrl: string
  readonly tokenId: string
  readonly clientSecret: string
  /** Not of the file: see `wireWord`. */
  readonly wireWord?: string
}

const MEMBERS = ['baseUrl', 'tokenId', 'clientSecret'] as const

/** Where credentials are looked for: a file, or a profile of `countersign login`. */
export interface CredentialsSource {
  readonly credentials?: string | undefined
  readonly profile?: string | undefined
}

/**
 * Reads the credentials of a command, the first of: the file `credentials`, the profile that is named, the file in the data
 * directory, which the first sandbox start writes, and the default profile. Throws Failure.
 */
export async function readCredentials({ credentials, profile }: CredentialsSource): Promise<Credentials> {
  if (credentials === undefined && profile !== undefined)
    return { ...(await profileOf(profile)), ...wireWord() }
  const found = await readFileOf(credentials)
  if (found) return found
  const { default: name } = await readProfiles()
  if (name !== undefined) return { ...(await profileOf(name)), ...wireWord() }
  throw new Failure(
    `There are no credentials in ${nameOf(fileOf(undefined))}. Start a server in another terminal, which writes them: npm start`,
  )
}

function fileOf(path: string | undefined): string {
  return resolve(path ?? join(process.env.COUNTERSIGN_DATA_DIR || '.countersign', 'credentials.json'))
}

function nameOf(file: string): string {
  return relative('.', file).startsWith('..') ? file : relative('.', file)
}

/** The file `path`, or that of the data directory: undefined where there is no such one. */
async function readFileOf(path: string | undefined): Promise<Credentials | undefined> {
  const file = fileOf(path)
  const name = nameOf(file)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (!isMissing(error)) throw new Failure(`${name} cannot be read: ${messageOf(error)}`)
    if (path === undefined) return undefined
    throw new Failure(`There is no file ${name}. It should hold {"baseUrl", "tokenId", "clientSecret"}.`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const members = isObject(value) ? value : {}
  if (hasAll(members)) return { ...members, ...wireWord() }
  const missing = MEMBERS.filter((member) => typeof members[member] !== 'string')
  throw new Failure(`${name} lacks ${missing.join(', ')}.`)
}

function hasAll(members: object): members is Credentials {
  const values: Readonly<Record<string, unknown>> = { ...members }
  return MEMBERS.every((member) => typeof values[member] === 'string')
}

/** The credentials with another base address. Throws Failure for a malformed address. */
export function atBaseUrl(credentials: Credentials, baseUrl: string): Credentials {
  return { ...credentials, baseUrl: checkBaseUrl(baseUrl) }
}

/** Returns a base address. Throws Failure for a malformed one. */
export function checkBaseUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new Failure(`The base address must be like http://127.0.0.1:8787/2025-10-13, not "${baseUrl}".`)
  return baseUrl
}
