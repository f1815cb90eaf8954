import { relative, resolve } from 'node:path'
import {
  type CredentialsSource,
  dataDirectoryFile,
  findCredentials,
  type Credentials as StoredCredentials,
} from '@countersign/sdk'
import { GET_A_SERVER } from '../terminal/clone.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { wireWord } from './wire-word.ts'

export interface Credentials extends StoredCredentials {
  /** From the environment: see `wireWord`. */
  readonly wireWord?: string
}

/** The credentials of a command, found as `findCredentials` does. Throws Failure without credentials, and CredentialsError. */
export function readCredentials(source: CredentialsSource): Credentials {
  const { env } = io()
  const found = findCredentials(env, source)
  if (found) return { ...found, ...wireWord() }
  const file = resolve(dataDirectoryFile(env))
  const shown = relative('.', file).startsWith('..') ? file : relative('.', file)
  throw new Failure(`There are no credentials in ${shown}. ${GET_A_SERVER}`)
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
