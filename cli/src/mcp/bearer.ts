import { CountersignError } from '@countersign/sdk'
import type { Agent } from '@countersign/sdk/agent'

/** Path of the MCP endpoint. */
export const PATH = '/mcp'
/** Path prefix of the protected resource metadata (RFC 9728); the resource's own path is appended. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i

/** The bearer token in an Authorization header, if any. */
export function readBearerToken(header: string | undefined): string | undefined {
  return BEARER.exec(header ?? '')?.[1]
}

/**
 * The response to a request without a valid token. It tells the client how to get one (RFC 6750, RFC 9728).
 */
export interface Challenge {
  readonly status: 401
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

export function buildChallenge(origin: string, error?: 'invalid_token'): Challenge {
  const parameters = {
    realm: 'countersign',
    ...(error ? { error, error_description: 'The token is unknown, expired or revoked.' } : {}),
    resource_metadata: `${origin}${RESOURCE_METADATA_PATH}${PATH}`,
  }
  const attributes = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return {
    status: 401,
    message: error
      ? 'The token is unknown, expired or revoked. Sign in again, or send the token of an agent.'
      : 'Send the token of an agent: "Authorization: Bearer …".',
    headers: { 'WWW-Authenticate': `Bearer ${attributes.join(', ')}` },
  }
}

/**
 * The protected resource metadata (RFC 9728). This program is also the authorization server: users authorize an
 * assistant with a device code.
 */
export function buildResourceMetadata(origin: string) {
  return {
    resource: `${origin}${PATH}`,
    resource_name: 'Countersign',
    authorization_servers: [origin],
    bearer_methods_supported: ['header'],
  }
}

/**
 * Returns the API's error if it rejects the token, and undefined if the token is valid or the API does not
 * respond.
 */
export async function checkToken(agent: Agent, signal: AbortSignal): Promise<CountersignError | undefined> {
  try {
    await agent.call('agent_me_get', { signal })
    return undefined
  } catch (error) {
    return error instanceof CountersignError && [401, 429].includes(error.status) ? error : undefined
  }
}
