import { base64FromBytes, bytesFromText } from '../crypto/bytes.ts'
import { CountersignError } from './errors.ts'

/**
 * The token of an agent or a customer, or a function that returns it. The function is called again if the
 * server rejects the token.
 */
export type AccessToken = string | (() => string | Promise<string>)

/** A client's credentials. Omit all of them if a backend adds the credentials. */
export interface ClientCredentials {
  /** The platform's credentials, from its credentials file. */
  readonly tokenId?: string
  readonly clientSecret?: string
  /**
   * Used instead of `tokenId` and `clientSecret`: the token of an agent (specification 5.2) or a customer.
   */
  readonly accessToken?: AccessToken
}

const NAMES = ['tokenId', 'clientSecret', 'accessToken'] as const

/** Provides the `Authorization` header for a client's calls. */
export class Authorization {
  readonly #basic: string | undefined
  readonly #accessToken: AccessToken | undefined
  #given: Promise<string> | undefined

  /** Throws TypeError if a credential is undefined or incomplete, or if both kinds are given. */
  constructor(credentials: ClientCredentials) {
    const { tokenId, clientSecret, accessToken } = credentials
    // Usually the result of an unset environment variable. Without this check, every call would return 401.
    const unset = NAMES.filter((name) => name in credentials && !credentials[name])
    if (unset.length > 0)
      throw new TypeError(
        `${unset.join(' and ')} ${unset.length > 1 ? 'are' : 'is'} undefined or empty. Check that the environment variable is set, or omit the option if a backend adds the credentials.`,
      )
    if ((tokenId === undefined) !== (clientSecret === undefined))
      throw new TypeError('Set tokenId and clientSecret together.')
    if (tokenId !== undefined && accessToken !== undefined)
      throw new TypeError(
        'A client uses either platform credentials or an access token. Set tokenId or accessToken, not both.',
      )
    this.#basic =
      tokenId === undefined
        ? undefined
        : `Basic ${base64FromBytes(bytesFromText(`${tokenId}:${clientSecret}`))}`
    this.#accessToken = accessToken
  }

  /**
   * Makes a call with the current credentials. If the server rejects a token that a function returned, calls
   * the function again and retries once.
   */
  async send<T>(call: (authorization: string | undefined) => Promise<T>): Promise<T> {
    const token = this.#accessToken
    if (token === undefined) return call(this.#basic)
    if (typeof token === 'string') return call(`Bearer ${token}`)
    const tokenPromise = this.#refreshToken(token)
    try {
      return await call(`Bearer ${await tokenPromise}`)
    } catch (error) {
      if (!isRefusedToken(error)) throw error
      // Concurrent rejected calls share the new token.
      if (this.#given === tokenPromise) this.#given = undefined
      return call(`Bearer ${await this.#refreshToken(token)}`)
    }
  }

  async #requestToken(token: () => string | Promise<string>): Promise<string> {
    return token()
  }

  #refreshToken(token: () => string | Promise<string>): Promise<string> {
    if (this.#given) return this.#given
    const tokenPromise = this.#requestToken(token)
    this.#given = tokenPromise
    tokenPromise.catch(() => {
      if (this.#given === tokenPromise) this.#given = undefined
    })
    return tokenPromise
  }
}

/**
 * True if the server rejected the token itself, and not a code or signature in the call. Such a call had no
 * effect.
 */
function isRefusedToken(error: unknown): boolean {
  return error instanceof CountersignError && error.status === 401 && error.isCredentials
}
