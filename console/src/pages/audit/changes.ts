import { isRecord } from '../../ui/readable.tsx'
import { wordsOfName } from '../../ui/words.ts'

/** One differing field of a record. */
export interface Change {
  /** Its path in words: `Webhook config › Url`. */
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

/** The differences between two records, field by field; lists and amounts are compared as a whole. */
export function changesOf(before: unknown, after: unknown, path: readonly string[] = []): Change[] {
  if (isGroup(before) || isGroup(after)) {
    const [former, present] = [isGroup(before) ? before : {}, isGroup(after) ? after : {}]
    const names = [...new Set([...Object.keys(former), ...Object.keys(present)])]
    return names.flatMap((name) => changesOf(former[name], present[name], [...path, name]))
  }
  if (path.length === 0) return []
  return [{ name: path.map(wordsOfName).join(' › '), before, after }]
}

/** An object with separate fields, not an amount with its currency. */
function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !('amount' in value && isRecord(value.currency))
}
