import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { config_update } from '@countersign/contract/platforms/config'
import { toJson } from '../../base/json/json.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'

const CONFIG_BYTES_MAX = 48 * 1024

/**
 * Throws 400 if the settings are too large in total, because every process caches them. It names the largest
 * setting of the change.
 */
export function checkSize(stored: Record<string, unknown>, change: BodyOf<typeof config_update>): void {
  const countBytes = (value: unknown) => Buffer.byteLength(toJson(value))
  if (countBytes(stored) <= CONFIG_BYTES_MAX) return
  const [largest = 'body'] = Object.entries(change)
    .map(([name, value]) => [name, countBytes(value ?? null)] as const)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name)
  throw createFieldError(
    'INVALID_INPUT',
    largest,
    `${largest} makes the settings larger than ${CONFIG_BYTES_MAX / 1024} KiB in total`,
  )
}
