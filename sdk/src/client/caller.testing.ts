import type { Caller } from './calls.ts'

/** A `Caller` whose responses come from a function, and the calls it got. */
export function callerOf(answer: (name: string, input: Record<string, unknown>) => unknown) {
  const calls: { name: string; input: Record<string, unknown> }[] = []
  const caller = {
    call: async (name: string, input: Record<string, unknown> = {}) => {
      calls.push({ name, input })
      return answer(name, input)
    },
  } as unknown as Caller
  return { caller, calls }
}
