import type { EvmRail } from '../evm-rail.ts'

/** What this process remembers of a chain between two runs. All of it may be lost: it only saves questions. */
export interface Memory {
  /** When a transaction was given to the nodes, by its id, in milliseconds of the process. */
  readonly sentAt: Map<string, number>
  /** Transactions whose nonce a node has called used, and those whose fees it has called too low. */
  readonly contested: Set<string>
  readonly underpriced: Set<string>
  /** The head, and the confirmed block, at which all receipts were looked at. */
  looked: string | undefined
  hasMulticall: boolean
}

const memories = new WeakMap<EvmRail, Memory>()

export function memoryOf(rail: EvmRail): Memory {
  const found = memories.get(rail) ?? {
    sentAt: new Map(),
    contested: new Set(),
    underpriced: new Set(),
    looked: undefined,
    hasMulticall: false,
  }
  memories.set(rail, found)
  return found
}

/** Forgets a transaction that is in another state now: where its block is gone it is sent again. */
export function forget({ sentAt, contested, underpriced }: Memory, id: string): void {
  sentAt.delete(id)
  contested.delete(id)
  underpriced.delete(id)
}
