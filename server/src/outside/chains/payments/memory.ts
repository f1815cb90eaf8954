import type { EvmRail } from '../evm-rail.ts'

/**
 * State that a process remembers about a chain between two runs. It only saves queries, so losing it does no
 * harm.
 */
export interface Memory {
  /**
   * When a transaction was last sent to the nodes, by transaction id, in milliseconds of the process's clock.
   */
  readonly sentAt: Map<string, number>
  /**
   * Transactions whose nonce a node has reported as used, and those whose fees it has reported as too low.
   */
  readonly contested: Set<string>
  readonly underpriced: Set<string>
  /** The head and the confirmed block of the last complete receipt check. */
  lastCheck: string | undefined
  hasMulticall: boolean
}

const memories = new WeakMap<EvmRail, Memory>()

export function getMemory(rail: EvmRail): Memory {
  const found = memories.get(rail) ?? {
    sentAt: new Map(),
    contested: new Set(),
    underpriced: new Set(),
    lastCheck: undefined,
    hasMulticall: false,
  }
  memories.set(rail, found)
  return found
}

/** Forgets a transaction whose state has changed, so that it is sent again if its block is reorged away. */
export function forgetTransaction({ sentAt, contested, underpriced }: Memory, id: string): void {
  sentAt.delete(id)
  contested.delete(id)
  underpriced.delete(id)
}
