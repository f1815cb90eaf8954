import { parseJson } from '../json.ts'
import { fieldError } from '../operation.ts'

const NESTING_MAX = 64

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The JSON value of a request body, or undefined for none. Errors: 400 `INVALID_INPUT` for what is not UTF-8, not JSON,
 * nests too deep or names a prototype.
 */
export function parseBody(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined
  let value: unknown
  try {
    value = parseJson(utf8.decode(bytes))
  } catch (error) {
    throw fieldError('INVALID_INPUT', 'body', `The body is not valid JSON: ${(error as Error).message}`)
  }
  if (nestsDeeperThan(value, NESTING_MAX))
    throw fieldError('INVALID_INPUT', 'body', `The body nests deeper than ${NESTING_MAX} levels.`)
  return value
}

/** Walks level by level, not by recursion: the point is to be safe with any depth. */
function nestsDeeperThan(value: unknown, levels: number): boolean {
  let level: object[] = isObject(value) ? [value] : []
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= levels) return true
    level = level.flatMap((item) => Object.values(item).filter(isObject))
  }
  return false
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
