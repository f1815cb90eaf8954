import { isObject } from './json.ts'

/**
 * Converts a response's amounts to `bigint`. `shape` says where they are (`generated/calls.ts`). Other values
 * are unchanged.
 */
export function decode(shape: unknown, value: unknown): unknown {
  if (shape === undefined || value === null || value === undefined) return value
  if (shape === 1) return typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : value
  if (shape === 2) return typeof value === 'bigint' ? Number(value) : value
  if (Array.isArray(shape)) return Array.isArray(value) ? value.map((item) => decode(shape[0], item)) : value
  if (!isObject(shape) || !isObject(value)) return value
  const result: Record<string, unknown> = { ...value }
  for (const [name, inside] of Object.entries(shape))
    if (Object.hasOwn(result, name)) result[name] = decode(inside, result[name])
  return result
}
