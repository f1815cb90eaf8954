import type { Answer, BodyInput, Caller, QueryInput } from './calls.ts'
import { signed } from './signed.ts'
import type { Signer } from './signer.ts'

/** A key of the server's enclave that may sign payments from one embedded wallet for one card. */
export type DelegatedKey = Answer<'delegated_key_get'>['body']

/**
 * Delegated keys. With an `ACTIVE` key, a card is paid from an embedded wallet without the holder's signature each
 * time. Without one, that funding source is skipped.
 */
export class DelegatedKeys {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * Authorizes a key in one call. `session` belongs to the wallet that will pay. Rejects with CountersignError: 400
   * `FUNDING_SOURCE_INELIGIBLE` where the account is not an embedded wallet among the funding sources of the card, 409
   * `CONFLICT` where the card already has a key for it.
   */
  async create(body: BodyInput<'delegated_key_create'>, session: Signer): Promise<DelegatedKey> {
    return (await signed(this.#caller, 'delegated_key_create', { body }, session)).body
  }

  /** All keys, including revoked ones. */
  async list(query: QueryInput<'delegated_key_list'> = {}): Promise<DelegatedKey[]> {
    return (await this.#caller.call('delegated_key_list', { query })).body.data
  }

  /** Rejects with CountersignError: 404 `DELEGATED_KEY_NOT_FOUND`. */
  async get(id: string): Promise<DelegatedKey> {
    return (await this.#caller.call('delegated_key_get', { params: { id } })).body
  }

  /** Revokes a key, at once and for good. Needs no signature. */
  async delete(id: string): Promise<void> {
    await this.#caller.call('delegated_key_delete', { params: { id } })
  }
}
