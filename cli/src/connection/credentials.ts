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
import { readWireWord } from './wire-word.ts'

export interface Credentials extends StoredCredentials {
  /** Read from the environment: see `readWireWord`. */
  readonly wireWord?: string
}

/**
 * Reads the credentials for a command, with the precedence of `findCredentials`. Throws Failure if no
 * credentials are found, and CredentialsError.
 */
export function readCredentials(source: CredentialsSource): Credentials {
  const { env } = io()
  const credentials = findCredentials(env, source)
  if (credentials) return { ...credentials, ...readWireWord() }
  const file = resolve(dataDirectoryFile(env))
  const displayPath = relative('.', file).startsWith('..') ? file : relative('.', file)
  throw new Failure(`No credentials found in ${displayPath}. ${GET_A_SERVER}`)
}

/** Replaces the base address. Throws Failure if the new one is malformed. */
export function withBaseUrl(credentials: Credentials, baseUrl: string): Credentials {
  return { ...credentials, baseUrl: checkBaseUrl(baseUrl) }
}

/** Returns the base address unchanged. Throws Failure if it is malformed. */
export function checkBaseUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new Failure(`The base URL must look like http://127.0.0.1:8787/2025-10-13, not "${baseUrl}".`)
  return baseUrl
}
