import type { RailsFileValue } from '@countersign/contract/connectors/rails-file'
import type { Enclave } from '../../kernel/ports/enclave.ts'
import type { Log } from '../../kernel/ports/log.ts'
import type { Tracing } from '../../kernel/ports/tracing.ts'

/**
 * The context for loading a rails file. `check` throws if the text is not a rails file, and names the field.
 */
export interface Loading {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly check: (value: unknown) => RailsFileValue
  readonly clock: () => Date
  /** Holds the keys on chains. */
  readonly enclave: Enclave
  /** The last followed block of a rail's chain; undefined until a process has reached the chain. */
  readonly followedBlock: (rail: string) => Promise<bigint | undefined>
  /** Called for chain nodes that cannot be used. */
  readonly onNodeAlert: (rail: string) => void
  readonly log: Log
  readonly tracing: Tracing | undefined
}
