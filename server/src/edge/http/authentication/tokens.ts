import { listEffectivePermissions, type Permission } from '@countersign/contract/core/endpoint'
import { authenticateAgentToken } from '../../../agents/identity/device-codes.ts'
import type { App } from '../../../kernel/operation/app.ts'
import { ApiError } from '../../../kernel/operation/operation.ts'
import {
  authenticateCustomerToken,
  CUSTOMER_TOKEN_PREFIX,
  type CustomerAuthentication,
} from '../../../people/tokens/customer-tokens.ts'
import { authenticateToken } from '../../../people/tokens/tokens.ts'
import type { BarePlatformRow } from '../../../storage/rows/tables.ts'

export interface TokenAuthentication {
  readonly platform: BarePlatformRow
  readonly tokenId: string
  readonly tokenName: string
  readonly permissions: readonly Permission[]
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i
/**
 * The characters allowed in ids and secrets. The database might reject a query with others, such as U+0000.
 */
const PRINTABLE = /^[\x21-\x7e]+$/

/**
 * Authenticates with HTTP Basic (specification 5.1): `<api token id>:<client secret>`, where the id may also
 * be the token's `clientId`. Throws 401 `UNAUTHORIZED`.
 */
export async function authenticatePlatform(
  app: App,
  authorization: string | undefined,
): Promise<TokenAuthentication> {
  if (!authorization) throw createCredentialRefusal('Missing credentials')
  const encoded = BASIC.exec(authorization)?.[1]
  const decoded = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : ''
  // Ids contain a colon, but secrets do not.
  const colon = decoded.lastIndexOf(':')
  if (colon < 1 || !PRINTABLE.test(decoded)) throw createCredentialRefusal('Malformed credentials')
  const found = await authenticateToken(app.lookup, decoded.slice(0, colon), decoded.slice(colon + 1))
  if (!found) throw createCredentialRefusal('Invalid credentials')
  return {
    platform: found.platform,
    tokenId: found.token.id,
    tokenName: found.token.name,
    permissions: listEffectivePermissions(found.token.permissions),
  }
}

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i

/** True if the credentials start with the prefix of customer tokens, whether valid or not. */
export function isCustomerToken(authorization: string | undefined): authorization is string {
  return authorization !== undefined && parseBearer(authorization)?.startsWith(CUSTOMER_TOKEN_PREFIX) === true
}

/**
 * Authenticates the bearer token of a customer. Throws 401 `UNAUTHORIZED`, or 429 `RATE_LIMITED` for an
 * address that has sent too many unknown tokens.
 */
export async function authenticateCustomer(
  app: App,
  authorization: string,
  address: string,
): Promise<CustomerAuthentication> {
  const token = parseBearer(authorization)
  const found = token && (await authenticateCustomerToken(app.lookup, token, app.clock()))
  if (!found) throw createUnknownBearerError(app, address)
  return found
}

/**
 * Authenticates the bearer token of an agent (specification 5.2). Throws 401 `UNAUTHORIZED`, or 429
 * `RATE_LIMITED` for an address that has sent too many unknown tokens.
 */
export async function authenticateAgent(app: App, authorization: string | undefined, address: string) {
  const agentRefusal = (reason: string) => createCredentialRefusal(reason, 'Bearer')
  if (!authorization) throw agentRefusal('Missing credentials')
  const token = parseBearer(authorization)
  if (token === undefined) throw agentRefusal('Malformed credentials')
  const found = await authenticateAgentToken(app.lookup, token)
  if (!found) throw createUnknownBearerError(app, address)
  return found
}

function parseBearer(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1]
}

/** Creates the error for an invalid bearer token, and counts it for the address. */
function createUnknownBearerError(app: App, address: string): ApiError {
  app.failedAttempts.check('bearerTokensByAddress', address)
  app.failedAttempts.recordFailure('bearerTokensByAddress', address)
  return createCredentialRefusal('Invalid credentials', 'Bearer')
}

function createCredentialRefusal(reason: string, scheme: 'Basic' | 'Bearer' = 'Basic'): ApiError {
  return new ApiError('UNAUTHORIZED', {
    reason,
    headers: { 'WWW-Authenticate': `${scheme} realm="countersign"` },
  })
}
