import { isRecord } from '../../ui/readable.tsx'
import { wordsOfName } from '../../ui/words.ts'

/** One member of a record that differs. */
export interface Change {
  /** Where it is, in words: `Webhook config › Url`. */
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

/** What differs between two records, member by member; lists and amounts are compared as a whole. */
export function changesOf(before: unknown, after: unknown, path: readonly string[] = []): Change[] {
  if (isGroup(before) || isGroup(after)) {
    const [former, present] = [isGroup(before) ? before : {}, isGroup(after) ? after : {}]
    const names = [...new Set([...Object.keys(former), ...Object.keys(present)])]
    return names.flatMap((name) => changesOf(former[name], present[name], [...path, name]))
  }
  if (path.length === 0) return []
  return [{ name: path.map(wordsOfName).join(' › '), before, after }]
}

/** A record with members of its own, not an amount with its currency. */
function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !('amount' in value && isRecord(value.currency))
}
