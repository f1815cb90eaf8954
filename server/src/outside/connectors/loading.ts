import type { RailsFileValue } from '@countersign/contract/connectors/rails-file'
import type { Enclave } from '../../kernel/ports/enclave.ts'
import type { Log } from '../../kernel/ports/log.ts'
import type { Tracing } from '../../kernel/ports/tracing.ts'

/**
 * Dependencies for loading a rails file. `check` throws if the content is not a valid rails file, and names
 * the field.
 */
export interface Loading {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly check: (value: unknown) => RailsFileValue
  readonly clock: () => Date
  /** Holds the keys for chains. */
  readonly enclave: Enclave
  /** The last followed block of a rail's chain. Undefined until a process has reached the chain. */
  readonly followedBlock: (rail: string) => Promise<bigint | undefined>
  /** Called for chain nodes that are unusable. */
  readonly onNodeAlert: (rail: string) => void
  readonly log: Log
  readonly tracing: Tracing | undefined
}
