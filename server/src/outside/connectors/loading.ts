import type { RailsFileValue } from '@countersign/contract/connectors/rails-file'
import type { Enclave } from '../../kernel/ports/enclave.ts'
import type { Log } from '../../kernel/ports/log.ts'
import type { Tracing } from '../../kernel/ports/tracing.ts'

/** What loading a rails file needs. `check` throws for a text that is not such a file, and names the field. */
export interface Loading {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly check: (value: unknown) => RailsFileValue
  readonly clock: () => Date
  /** Holds the keys on chains. */
  readonly enclave: Enclave
  /** How far the chain of a rail was followed; undefined before any process has met it. */
  readonly followedBlock: (rail: string) => Promise<bigint | undefined>
  /** Hears of nodes of chains that cannot be used. */
  readonly onNodeAlert: (rail: string) => void
  readonly log: Log
  readonly tracing: Tracing | undefined
}
