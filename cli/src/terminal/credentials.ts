import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { isObject } from '@countersign/contract/core/decode'
import { Failure } from './failure.ts'
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

/**
 * Reads a credentials file: `path`, or the one in the data directory, which the first sandbox start writes. Throws
 * Failure.
 */
export async function readCredentials(path: string | undefined): Promise<Credentials> {
  const file = resolve(path ?? join(process.env.COUNTERSIGN_DATA_DIR || '.countersign', 'credentials.json'))
  const name = relative('.', file).startsWith('..') ? file : relative('.', file)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (!isMissing(error)) throw new Failure(`${name} cannot be read: ${messageOf(error)}`)
    throw new Failure(
      path
        ? `There is no file ${name}. It should hold {"baseUrl", "tokenId", "clientSecret"}.`
        : `There are no credentials in ${name}. Start a server in another terminal, which writes them: npm start`,
    )
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
