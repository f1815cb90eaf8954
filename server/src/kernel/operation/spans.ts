import { isObject } from '@countersign/contract/core/decode'
import { type Rail, SANDBOX_RAIL } from '../ports/rail.ts'
import type { Tracing } from '../ports/tracing.ts'

interface Traced {
  readonly tracing?: Tracing | undefined
}

/** Calls a rail within a span. */
export function runRailSpan<T>(
  { tracing }: Traced,
  { name }: Pick<Rail, 'name'>,
  action: 'send' | 'pull' | 'cancel' | 'open account' | 'check account',
  call: () => Promise<T>,
): Promise<T> {
  if (!tracing) return call()
  const attributes = { 'countersign.rail': name ?? SANDBOX_RAIL }
  return tracing.runWithin({ name: `rail ${action}`, kind: 'client', attributes }, async (span) => {
    const reply = await call()
    span.note({ 'countersign.rail.outcome': getOutcome(reply) })
    return reply
  })
}

function getOutcome(reply: unknown): string | undefined {
  if (typeof reply === 'string') return reply
  return isObject(reply) && typeof reply.outcome === 'string' ? reply.outcome : undefined
}
