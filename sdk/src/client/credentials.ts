import { base64FromBytes, bytesFromText } from '../crypto/bytes.ts'
import { CountersignError } from './errors.ts'

/**
 * An agent's or a customer's token, or a function that returns it and is called again if the server refuses
 * the token.
 */
export type AccessToken = string | (() => string | Promise<string>)

/** The credentials of a client; none if a backend in between adds them. */
export interface ClientCredentials {
  /** The platform's credentials, from its credentials file. Omit both if a backend in between adds them. */
  readonly tokenId?: string
  readonly clientSecret?: string
  /** Instead of the two: the token of an agent (specification 5.2) or of a customer. */
  readonly accessToken?: AccessToken
}

const NAMES = ['tokenId', 'clientSecret', 'accessToken'] as const

/** The `Authorization` header of one client's calls. */
export class Authorization {
  readonly #basic: string | undefined
  readonly #accessToken: AccessToken | undefined
  #given: Promise<string> | undefined

  /** Throws TypeError for undefined or half credentials, and for both kinds. */
  constructor(credentials: ClientCredentials) {
    const { tokenId, clientSecret, accessToken } = credentials
    // An unset environment variable: without credentials every call would return 401.
    const unset = NAMES.filter((name) => name in credentials && !credentials[name])
    if (unset.length > 0)
      throw new TypeError(
        `${unset.join(' and ')} ${unset.length > 1 ? 'are' : 'is'} undefined or empty. Is it read from a variable that is not set? Leave it out if a backend adds the credentials`,
      )
    if ((tokenId === undefined) !== (clientSecret === undefined))
      throw new TypeError('tokenId and clientSecret must be given together')
    if (tokenId !== undefined && accessToken !== undefined)
      throw new TypeError(
        'A client has the credentials of a platform or an access token: give either tokenId or accessToken',
      )
    this.#basic =
      tokenId === undefined
        ? undefined
        : `Basic ${base64FromBytes(bytesFromText(`${tokenId}:${clientSecret}`))}`
    this.#accessToken = accessToken
  }

  /**
   * Makes a call with these credentials. If a token from a function is refused, gets another and calls once
   * more.
   */
  async send<T>(call: (authorization: string | undefined) => Promise<T>): Promise<T> {
    const token = this.#accessToken
    if (token === undefined) return call(this.#basic)
    if (typeof token === 'string') return call(`Bearer ${token}`)
    const given = this.#ask(token)
    try {
      return await call(`Bearer ${await given}`)
    } catch (error) {
      if (!isRefusedToken(error)) throw error
      // Calls refused together share the new one.
      if (this.#given === given) this.#given = undefined
      return call(`Bearer ${await this.#ask(token)}`)
    }
  }

  async #requestToken(token: () => string | Promise<string>): Promise<string> {
    return token()
  }

  #ask(token: () => string | Promise<string>): Promise<string> {
    if (this.#given) return this.#given
    const given = this.#requestToken(token)
    this.#given = given
    given.catch(() => {
      if (this.#given === given) this.#given = undefined
    })
    return given
  }
}

/**
 * True if the server refused the token itself, not a code or a signature in the call: nothing happened then.
 */
function isRefusedToken(error: unknown): boolean {
  return error instanceof CountersignError && error.status === 401 && error.isCredentials
}
