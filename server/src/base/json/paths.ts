import { isObject } from '@countersign/contract/core/decode'

/** The value at a dotted path in parsed JSON. Undefined if the path does not exist. */
export function getValueAt(record: unknown, path: string): unknown {
  let value = record
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, name)
  }
  return value
}

/** Sets the value at a path, creating the objects on the way. */
export function setValueAt(record: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path
  if (name === undefined) throw new RangeError('a path must have at least one name')
  if (rest.length === 0) {
    record[name] = value
    return
  }
  const existing = record[name]
  const within: Record<string, unknown> = isObject(existing) ? existing : {}
  record[name] = within
  setValueAt(within, rest, value)
}
