import { createHash, randomBytes } from 'node:crypto'
import { ConnectionError, CountersignError } from '@countersign/sdk'
import { buildClientId, decodeClient, isRegistered, readClient } from './authorization-clients.ts'
import { renderErrorPage, renderSignInPage, type SignInForm } from './authorization-page.ts'
import { PATH } from './bearer.ts'

/** The time after the redirect in which a client may fetch its token. */
const GRANT_MS = 60_000
const TEXT_LENGTH_MAX = 4_096
const DEVICE_CODE = /^[\w-]{1,20}$/
/** A base64url SHA-256 digest, and the verifiers allowed by RFC 7636. */
const CHALLENGE = /^[\w-]{43}$/
const VERIFIER = /^[\w.~-]{43,128}$/

/** Redeems an agent's device code for a token. Throws the API's errors. */
export type Redeem = (deviceCode: string) => Promise<string>

interface Grant {
  readonly accessToken: string
  readonly clientId: string
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly expiresAt: number
}

/** A validated authorization request. */
interface SignIn {
  readonly form: SignInForm
  readonly clientId: string
  readonly codeChallenge: string
}

/**
 * The OAuth 2.1 authorization server for the MCP tools, with PKCE and dynamic client registration (RFC 7591).
 * It lets an assistant on another machine sign in: a person enters an agent's device code, and the assistant
 * receives the agent's token. Its only state is the tokens not fetched yet, which are kept for up to a
 * minute.
 */
export class AuthorizationServer {
  readonly #redeem: Redeem
  readonly #now: () => number
  readonly #grants = new Map<string, Grant>()

  constructor(redeem: Redeem, now: () => number = Date.now) {
    this.#redeem = redeem
    this.#now = now
  }

  /** Registers a client. Nothing is stored: the client id contains the registration. */
  register(text: string): Response {
    const client = readClient(tryParseJson(text))
    if (!client)
      return buildOAuthError(
        'invalid_redirect_uri',
        'redirect_uris must contain 1 to 10 URIs: https, loopback http, or the scheme of an app.',
      )
    const registration = {
      client_id: buildClientId(client),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
    return buildJsonResponse(registration, 201)
  }

  /** Shows the device code form. */
  show(origin: string, parameters: URLSearchParams): Response {
    const signIn = readSignIn(origin, parameters)
    return signIn instanceof Response ? signIn : renderSignInPage(signIn.form)
  }

  /** Handles the submitted form: redeems the device code and redirects with an authorization code. */
  async submit(origin: string, parameters: URLSearchParams): Promise<Response> {
    const deviceCode = (parameters.get('device_code') ?? '').replace(/\s/g, '')
    parameters.delete('device_code')
    const signIn = readSignIn(origin, parameters)
    if (signIn instanceof Response) return signIn
    const { form, clientId, codeChallenge } = signIn
    if (!DEVICE_CODE.test(deviceCode)) return renderSignInPage({ ...form, error: UNKNOWN_CODE }, 400)
    try {
      const accessToken = await this.#redeem(deviceCode)
      const { redirectUri } = form
      const code = this.#grant({ accessToken, clientId, redirectUri, codeChallenge })
      return redirectToClient(origin, redirectUri, parameters, { code })
    } catch (error) {
      const failure = toFailure(error)
      if (!failure) throw error
      return renderSignInPage({ ...form, error: failure.message }, failure.status)
    }
  }

  /** Exchanges an authorization code for its token. A code works once. */
  exchange(parameters: URLSearchParams): Response {
    if (parameters.get('grant_type') !== 'authorization_code')
      return buildOAuthError('unsupported_grant_type', 'The grant_type must be authorization_code.')
    const code = parameters.get('code') ?? ''
    const grant = this.#grants.get(code)
    this.#grants.delete(code)
    const verifier = parameters.get('code_verifier') ?? ''
    const isValid =
      grant !== undefined &&
      grant.expiresAt > this.#now() &&
      grant.clientId === parameters.get('client_id') &&
      grant.redirectUri === parameters.get('redirect_uri') &&
      VERIFIER.test(verifier) &&
      createHash('sha256').update(verifier).digest('base64url') === grant.codeChallenge
    if (!isValid)
      return buildOAuthError(
        'invalid_grant',
        'The code is unknown, used, expired, or belongs to another request.',
      )
    return buildJsonResponse({ access_token: grant.accessToken, token_type: 'Bearer' })
  }

  #grant(grant: Omit<Grant, 'expiresAt'>): string {
    const now = this.#now()
    for (const [code, { expiresAt }] of this.#grants) if (expiresAt <= now) this.#grants.delete(code)
    const code = randomBytes(32).toString('base64url')
    this.#grants.set(code, { ...grant, expiresAt: now + GRANT_MS })
    return code
  }
}

/** The authorization server metadata (RFC 8414). */
export function buildAuthorizationMetadata(origin: string) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  }
}

/**
 * Validates an authorization request. An unknown client or redirect URI is reported to the person, any other
 * error to the client.
 */
function readSignIn(origin: string, parameters: URLSearchParams): SignIn | Response {
  const readParameter = (name: string) => parameters.get(name) ?? ''
  const clientId = readParameter('client_id')
  const client = decodeClient(clientId)
  if (!client || clientId.length > TEXT_LENGTH_MAX)
    return renderErrorPage('The app that sent you here is not registered. Connect it again.')
  const redirectUri = readParameter('redirect_uri')
  if (!isRegistered(client, redirectUri))
    return renderErrorPage('The app that sent you here did not register this return address.')
  const redirectWithError = (error: string) => redirectToClient(origin, redirectUri, parameters, { error })
  if (readParameter('response_type') !== 'code') return redirectWithError('unsupported_response_type')
  if (readParameter('code_challenge_method') !== 'S256' || !CHALLENGE.test(readParameter('code_challenge')))
    return redirectWithError('invalid_request')
  const resource = readParameter('resource').replace(/\/$/, '')
  if (!['', origin, `${origin}${PATH}`].includes(resource)) return redirectWithError('invalid_target')
  return {
    clientId,
    codeChallenge: readParameter('code_challenge'),
    form: { clientName: client.name, redirectUri, parameters },
  }
}

/** Redirects the person to the client, passing on the `state` of the request. */
function redirectToClient(
  origin: string,
  redirectUri: string,
  parameters: URLSearchParams,
  result: Readonly<Record<string, string>>,
): Response {
  const location = new URL(redirectUri)
  const state = parameters.get('state')
  const redirectParameters = { ...result, ...(state === null ? {} : { state }), iss: origin }
  for (const [name, value] of Object.entries(redirectParameters)) location.searchParams.set(name, value)
  return new Response(null, {
    status: 303,
    headers: { Location: location.href, 'Cache-Control': 'no-store' },
  })
}

const UNKNOWN_CODE = 'This code is unknown, already used or expired. Request a new one.'

function toFailure(error: unknown): { readonly status: number; readonly message: string } | undefined {
  if (error instanceof ConnectionError)
    return { status: 503, message: 'The platform is not responding. Try again.' }
  if (!(error instanceof CountersignError)) return undefined
  if (error.status === 429) return { status: 429, message: 'Too many wrong codes. Try again in 15 minutes.' }
  return { status: 400, message: error.code === 'DEVICE_CODE_NOT_FOUND' ? UNKNOWN_CODE : error.message }
}

function buildOAuthError(error: string, description: string): Response {
  return buildJsonResponse({ error, error_description: description }, 400)
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Creates a JSON response that must not be cached. */
export function buildJsonResponse(body: object, status = 200): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } })
}
