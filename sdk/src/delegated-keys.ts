import type { Answer, BodyInput, Caller, QueryInput } from './calls.ts'
import { signed } from './signed.ts'
import type { Signer } from './signer.ts'

/** A key that the server's enclave keeps, and that may sign what one card takes from one embedded wallet. */
export type DelegatedKey = Answer<'delegated_key_get'>['body']

/**
 * What lets a card be paid from an embedded wallet without asking its holder each time. Without an `ACTIVE` key that
 * wallet is passed over among the funding sources.
 */
export class DelegatedKeys {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * Authorizes a key, in one call: `session` is one of the wallet that is to pay. Rejects with CountersignError: 400
   * `FUNDING_SOURCE_INELIGIBLE` where the account is no embedded wallet among the funding sources of the card, 409
   * `CONFLICT` where the card has a key for it.
   */
  async create(body: BodyInput<'delegated_key_create'>, session: Signer): Promise<DelegatedKey> {
    return (await signed(this.#caller, 'delegated_key_create', { body }, session)).body
  }

  /** All of them, revoked ones too. */
  async list(query: QueryInput<'delegated_key_list'> = {}): Promise<DelegatedKey[]> {
    return (await this.#caller.call('delegated_key_list', { query })).body.data
  }

  /** Rejects with CountersignError: 404 `DELEGATED_KEY_NOT_FOUND`. */
  async get(id: string): Promise<DelegatedKey> {
    return (await this.#caller.call('delegated_key_get', { params: { id } })).body
  }

  /** Revokes a key, at once and for good. It takes no signature. */
  async delete(id: string): Promise<void> {
    await this.#caller.call('delegated_key_delete', { params: { id } })
  }
}
