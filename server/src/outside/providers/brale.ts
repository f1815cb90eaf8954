import { isObject } from '@countersign/contract/core/decode'
import { type Answer, NoResponse } from '../../base/http-client/answer.ts'
import { type Bounds, type Outgoing, send } from '../../base/http-client/send.ts'
import type { BraleConfig } from '../../base/settings/brale.ts'
import type {
  CredentialCheck,
  CredentialCheckResult,
  StablecoinProvider,
} from '../../kernel/ports/stablecoin-provider.ts'

/** The timeout of each of two requests, which together finish before the job's claim expires. */
const TIMEOUT_MS = 2000
const RESPONSE_BYTES_MAX = 256 * 1024
const ACCOUNTS_MAX = 1000
/** Characters allowed in a header. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/
const ACCOUNT_ID = /^[\x21-\x7e]{1,255}$/
/**
 * Brale refused the credentials: they are unknown, revoked, or may not read accounts. Brale does not
 * distinguish between these.
 */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403])

/**
 * Checks credentials with Brale's public API. `POST {authUrl}` (OAuth 2 client credentials with HTTP Basic)
 * returns a bearer token, with which `GET {apiUrl}/accounts` returns `{"accounts": ["…"]}`. An application
 * belongs to one environment, which no response names, so the operator configures it.
 */
export function createBrale(
  { environment, authUrl, apiUrl }: BraleConfig,
  timeoutMs = TIMEOUT_MS,
): StablecoinProvider {
  const sendRequest = (outgoing: Outgoing) => send(outgoing, buildBounds(timeoutMs))
  return {
    environment,
    async check(request) {
      // HTTP Basic cannot carry an id with a colon, so no application has one.
      if (request.apiClientId.includes(':')) return { outcome: 'invalid' }
      try {
        const token = parseToken(await sendRequest(buildTokenRequest(authUrl, request)))
        if (typeof token !== 'string') return token
        const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
        return parseAccounts(await sendRequest({ method: 'GET', url: `${apiUrl}/accounts`, headers }))
      } catch (error) {
        if (!(error instanceof NoResponse)) throw error
        return { outcome: 'unavailable', reason: error.code }
      }
    },
  }
}

function buildBounds(timeoutMs: number): Bounds {
  // The operator configures the URLs, so they may point to this machine.
  return { timeoutMs, bytesMax: RESPONSE_BYTES_MAX, reach: 'any' }
}

function buildTokenRequest(url: string, { apiClientId, apiClientSecret }: CredentialCheck): Outgoing {
  const login = Buffer.from(`${apiClientId}:${apiClientSecret}`).toString('base64')
  return {
    method: 'POST',
    url,
    headers: {
      Authorization: `Basic ${login}`,
      Accept: 'application/json',
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: Buffer.from('grant_type=client_credentials'),
  }
}

function parseToken(response: Answer): string | CredentialCheckResult {
  if (REFUSED.has(response.status)) return { outcome: 'invalid' }
  const { access_token: token } = readProperties(response)
  return typeof token === 'string' && TOKEN.test(token) ? token : toUnavailable(response)
}

function parseAccounts(response: Answer): CredentialCheckResult {
  if (REFUSED.has(response.status)) return { outcome: 'invalid' }
  const { accounts } = readProperties(response)
  if (!Array.isArray(accounts) || accounts.length > ACCOUNTS_MAX) return toUnavailable(response)
  const providerAccountIds = accounts.filter(
    (id: unknown): id is string => typeof id === 'string' && ACCOUNT_ID.test(id),
  )
  return providerAccountIds.length === accounts.length
    ? { outcome: 'accepted', providerAccountIds }
    : toUnavailable(response)
}

function readProperties({ status, body, isComplete }: Answer): Readonly<Record<string, unknown>> {
  if (status !== 200 || !isComplete) return {}
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString())
    return isObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

function toUnavailable({ status }: Answer): CredentialCheckResult {
  return { outcome: 'unavailable', reason: `the response with status ${status} could not be read` }
}
