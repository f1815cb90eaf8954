import type { SignedIn } from '../client.testing.ts'
import type { Browser } from '../records/members.testing.ts'
import type { Ids } from './bodies.testing.ts'
import type { World } from './calls.testing.ts'
import type { RecordingClient } from './recording-client.testing.ts'

export interface Scene extends World {
  readonly client: RecordingClient
  readonly session: SignedIn
}

/** The whole call of an endpoint, or its differences from the usual one. */
export interface Call {
  readonly ids?: Ids
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly sign?: boolean
  /** The browser that makes the call, if it is not the world member's. */
  readonly browser?: Browser
  /** True if the preparation has already made the call. */
  readonly isMade?: boolean
}
