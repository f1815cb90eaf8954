import { isObject } from '@countersign/contract/core/decode'
import { type Rail, SANDBOX_RAIL } from '../ports/rail.ts'
import type { NewSpan, OpenSpan, Tracing } from '../ports/tracing.ts'

interface Traced {
  readonly tracing?: Tracing | undefined
}

/** Runs work in a child span of the current one if tracing is enabled. */
export function runInSpan<T>(
  { tracing }: Traced,
  span: NewSpan,
  work: (span?: OpenSpan) => Promise<T>,
): Promise<T> {
  return tracing ? tracing.runWithin(span, work) : work()
}

/** Calls a rail within a span. */
export function runRailSpan<T>(
  { tracing }: Traced,
  { name }: Pick<Rail, 'name'>,
  what: 'send' | 'pull' | 'cancel' | 'open account' | 'check account',
  ask: () => Promise<T>,
): Promise<T> {
  if (!tracing) return ask()
  const attributes = { 'countersign.rail': name ?? SANDBOX_RAIL }
  return tracing.runWithin({ name: `rail ${what}`, kind: 'client', attributes }, async (span) => {
    const answer = await ask()
    span.note({ 'countersign.rail.outcome': getOutcome(answer) })
    return answer
  })
}

function getOutcome(answer: unknown): string | undefined {
  if (typeof answer === 'string') return answer
  return isObject(answer) && typeof answer.outcome === 'string' ? answer.outcome : undefined
}
