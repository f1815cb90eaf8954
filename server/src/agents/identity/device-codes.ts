import { createHash } from 'node:crypto'
import { DEVICE_CODE_SECONDS } from '@countersign/contract/agents/agents'
import { requireValue } from '../../base/formats/require-value.ts'
import { type App, addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { Enclave } from '../../kernel/ports/enclave.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { Lookup } from '../../storage/read/lookup.ts'
import type { AgentDeviceCodeRow, AgentRow } from '../../storage/rows/agent.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'
import { selectActingAgent, selectCodePlatform, selectDeviceCode } from './store.ts'

/** Crockford's alphabet, which has no characters that are easily confused. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 45 bits of entropy. */
const CODE_CHARACTERS = 9
const TOKEN_PREFIX = 'csa_'
const TOKEN_BYTES = 32

export interface NewDeviceCode {
  readonly row: AgentDeviceCodeRow
  /** The code itself, shown only once. */
  readonly code: string
  readonly write: Write
}

/**
 * Creates a device code. Once its agent refers to it, it is valid and replaces the previous code.
 */
export function makeDeviceCode(op: Op, agentId: string): NewDeviceCode {
  const characters = Array.from(op.random(CODE_CHARACTERS), (byte) => ALPHABET.charAt(byte & 31))
  const code = [0, 3, 6].map((at) => characters.slice(at, at + 3).join('')).join('-')
  const row: AgentDeviceCodeRow = {
    id: op.newId('DeviceCode'),
    platform_id: op.platform.id,
    agent_id: agentId,
    code_mac: requireValue(
      computeMac(op.enclave, code, op.enclave.keyGeneration),
      'digest of a code in our alphabet',
    ),
    expires_at: addSeconds(op.now, DEVICE_CODE_SECONDS),
    redeemed_at: null,
    created_at: op.now,
  }
  return { row, code, write: insert('agent_device_codes', row) }
}

/**
 * Computes the MAC of a typed code after normalizing it: ignores case, hyphens and spaces, and reads O as 0,
 * and I and L as 1. Undefined if the text cannot be a code.
 */
function computeMac(enclave: Pick<Enclave, 'mac'>, code: string, generation: number): string | undefined {
  const normalized = code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  const isCode =
    normalized.length === CODE_CHARACTERS &&
    [...normalized].every((character) => ALPHABET.includes(character))
  return isCode ? Buffer.from(enclave.mac('deviceCode', normalized, generation)).toString('hex') : undefined
}

/** Throws 404 `DEVICE_CODE_NOT_FOUND`. */
export async function findDeviceCode(op: Op, code: string): Promise<AgentDeviceCodeRow> {
  const mac = computeMac(op.enclave, code, op.enclave.dataKeys)
  const row = mac === undefined ? undefined : await selectDeviceCode(op, mac)
  if (!row) throw createCodeNotFoundError()
  return row
}

/** True if a code can still connect its agent: it has not been replaced, redeemed or expired. */
export function isRedeemable(op: Op, code: AgentDeviceCodeRow, agent: AgentRow): boolean {
  return agent.device_code_id === code.id && code.redeemed_at === null && code.expires_at > op.now
}

/**
 * Authenticates a caller that has only a device code, and returns the platform that created the code. Throws
 * 404 `DEVICE_CODE_NOT_FOUND`, or 429 `RATE_LIMITED` after too many failed attempts from this address or with
 * this code.
 */
export async function authenticateDeviceCode(
  app: App,
  code: string,
  address: string,
): Promise<BarePlatformRow> {
  const mac = computeMac(app.enclave, code, app.enclave.dataKeys)
  app.failedAttempts.check('deviceCodesByAddress', address)
  if (mac !== undefined) app.failedAttempts.check('deviceCode', mac)
  const platform = mac === undefined ? undefined : await selectCodePlatform(app.lookup, mac)
  if (!platform) throw createCodeNotFoundError()
  return platform
}

/** Counts a failed attempt, whatever the reason for the failure. */
export function recordFailedCode(
  app: Pick<App, 'enclave' | 'failedAttempts'>,
  code: string,
  address: string,
): void {
  const mac = computeMac(app.enclave, code, app.enclave.dataKeys)
  app.failedAttempts.recordFailure('deviceCodesByAddress', address)
  if (mac !== undefined) app.failedAttempts.recordFailure('deviceCode', mac)
}

export function createCodeNotFoundError(): ApiError {
  return new ApiError('DEVICE_CODE_NOT_FOUND', { details: { field: 'code' } })
}

/** Creates a bearer token with 256 bits of entropy, and the hash to store. */
export function makeAgentToken(op: Op): { readonly token: string; readonly hash: string } {
  const token = `${TOKEN_PREFIX}${Buffer.from(op.random(TOKEN_BYTES)).toString('base64url')}`
  return { token, hash: hashToken(token) }
}

/** Finds the agent of a bearer token and its platform. Undefined if the token is unknown. */
export async function authenticateAgentToken(
  lookup: Lookup,
  token: string,
): ReturnType<typeof selectActingAgent> {
  return selectActingAgent(lookup, hashToken(token))
}

/** SHA-256 in hex. A plain hash suffices, because a token has too much entropy to be guessed. */
function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
