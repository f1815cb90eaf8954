import { isRecord } from '../../ui/readable.tsx'
import { formatFieldName } from '../../ui/words.ts'

/** A field that differs between two versions of a record. */
export interface Change {
  /** The field's path in readable form: `Webhook config › Url`. */
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

/** Lists the differing fields of two versions of a record. Lists and amounts are compared as a whole. */
export function listChanges(before: unknown, after: unknown, path: readonly string[] = []): Change[] {
  if (isGroup(before) || isGroup(after)) {
    const [oldFields, newFields] = [isGroup(before) ? before : {}, isGroup(after) ? after : {}]
    const names = [...new Set([...Object.keys(oldFields), ...Object.keys(newFields)])]
    return names.flatMap((name) => listChanges(oldFields[name], newFields[name], [...path, name]))
  }
  if (path.length === 0) return []
  return [{ name: path.map(formatFieldName).join(' › '), before, after }]
}

/** True for an object whose fields are compared individually, as opposed to an amount with its currency. */
function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !('amount' in value && isRecord(value.currency))
}
