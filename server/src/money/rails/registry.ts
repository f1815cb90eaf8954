import type { RailEntryValue } from '@countersign/contract/connectors/rails-file'
import {
  type Rail,
  type Rails,
  type RouteRequest,
  SANDBOX_RAIL,
  withColdStorage,
} from '../../kernel/ports/rail.ts'
import { canServe, findLimits, isWithin } from './routing.ts'

/** A rail in the rails file, with its entry. */
export interface ConfiguredRail extends Rail {
  readonly name: string
  readonly entry: RailEntryValue
}

/**
 * The rails in the rails file. They can be replaced while the server runs, because payments in progress look
 * up their rail by name.
 */
export class RailRegistry implements Rails {
  #rails: readonly ConfiguredRail[] = []
  readonly #oldestPlatform: () => Promise<string | undefined>

  readonly #sandbox: Rail | undefined

  /**
   * `oldestPlatform` owns the rails whose entries name no platform. `sandbox` carries the payments that no
   * configured rail serves; it is undefined in production.
   */
  constructor(oldestPlatform: () => Promise<string | undefined>, sandbox?: Rail) {
    this.#oldestPlatform = oldestPlatform
    this.#sandbox = sandbox
  }

  replace(rails: readonly ConfiguredRail[]): void {
    this.#rails = rails
  }

  list(): readonly ConfiguredRail[] {
    return this.#rails
  }

  find(name: string | null): Rail | undefined {
    if (this.#sandbox && (name === null || name === SANDBOX_RAIL)) return this.#sandbox
    return withColdStorage(this.#rails).find((rail) => rail.name === name)
  }

  /** The platform that owns a rail; undefined while the server has no platform. */
  async ownerOf({ name }: Rail): Promise<string | undefined> {
    return this.find(name)?.entry?.platform ?? (await this.#oldestPlatform())
  }

  async route(platformId: string, request: RouteRequest): Promise<Rail | undefined> {
    const serving = await this.#findServing(platformId, request)
    return (
      serving.find(({ entry }) => isWithin(findLimits(entry, request.currency), request.amount)) ??
      this.#sandbox
    )
  }

  async limitsFor(platformId: string, request: RouteRequest) {
    const [first] = await this.#findServing(platformId, request)
    return first && findLimits(first.entry, request.currency)
  }

  async #findServing(platformId: string, request: RouteRequest): Promise<ConfiguredRail[]> {
    return this.#filterOwned(
      platformId,
      this.#rails.filter(({ entry }) => canServe(entry, request)),
    )
  }

  async #filterOwned(platformId: string, rails: readonly ConfiguredRail[]): Promise<ConfiguredRail[]> {
    const owners = await Promise.all(rails.map((rail) => this.ownerOf(rail)))
    return rails.filter((_, index) => owners[index] === platformId)
  }
}
