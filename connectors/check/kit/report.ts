export interface Result {
  readonly group: string
  readonly name: string
  readonly verdict: 'pass' | 'fail' | 'not checked'
  /** Why the check failed or was skipped. */
  readonly why?: string
}

/** A check of a connector. It throws a Shortfall if the connector fails. */
export interface Check<C> {
  readonly name: string
  readonly run: (context: C) => Promise<void>
}

export interface Group<C> {
  readonly name: string
  readonly checks: readonly Check<C>[]
}

/** The connector violates the protocol. */
export class ProtocolViolation extends Error {}

/** The check needs an account or a hook that is not configured. */
export class CheckSkipped extends Error {}

/** Throws a `Shortfall` if the condition is false. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new ProtocolViolation(message)
}

/** Runs the checks one after another, because they compare balances that other checks would change. */
export async function runChecks<C>(
  groups: readonly Group<C>[],
  context: C,
  onResult: (result: Result) => void = () => {},
): Promise<Result[]> {
  const results: Result[] = []
  for (const { name: group, checks } of groups)
    for (const { name, run } of checks) {
      const result = { group, name, ...(await runCheck(() => run(context))) }
      results.push(result)
      onResult(result)
    }
  return results
}

async function runCheck(run: () => Promise<void>): Promise<Pick<Result, 'verdict' | 'why'>> {
  try {
    await run()
    return { verdict: 'pass' }
  } catch (error) {
    if (error instanceof CheckSkipped) return { verdict: 'not checked', why: error.message }
    // An unexpectedly broken connection also counts as a failure.
    return { verdict: 'fail', why: error instanceof Error ? error.message : String(error) }
  }
}

/** Formats a line of the report. */
export function formatResult({ name, verdict, why }: Result): string {
  const mark = { pass: 'pass       ', fail: 'FAIL       ', 'not checked': 'not checked' }[verdict]
  return `  ${mark}  ${name}${why === undefined ? '' : `\n               ${why}`}`
}

export function formatSummary(results: readonly Result[]): string {
  const count = (verdict: Result['verdict']) => results.filter((result) => result.verdict === verdict).length
  return `${count('pass')} passed, ${count('fail')} failed, ${count('not checked')} not checked`
}
