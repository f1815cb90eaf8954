import type { JsonSchema } from '@countersign/contract/core/decode'
import { decode } from '@countersign/contract/core/decode'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { ApiError } from '../../../kernel/operation/operation.ts'
import { compile, readIntegers } from './ajv.ts'
import { describeError } from './validation-messages.ts'

/** The part of a request that a schema describes. It is the field name in errors about the whole part. */
export type Part = 'body' | 'query' | 'path' | 'answer'

/** An error in one field of a request. */
export interface Fault {
  /** The path within the body or query, separated by dots, with list items by index. */
  readonly field: string
  readonly message: string
}

export type ValidationResult =
  | { readonly value: unknown; readonly faults: readonly [] }
  | { readonly value: undefined; readonly faults: readonly [Fault, ...Fault[]] }

/** The maximum number of errors in one response. */
export const FAULTS_MAX = 20
/**
 * If a value has more fields or longer strings than this, only its first error is reported, because finding
 * all errors would be too expensive.
 */
const EXPLAINED_VALUES_MAX = 500
const EXPLAINED_CHARACTERS_MAX = 4096

/**
 * Creates a validator for one schema, compiled on first use. It returns the value in the schema's TypeScript
 * type (`bigint` amounts, no unknown properties), or the errors.
 */
export function createChecker(
  schema: JsonSchema,
  part: Part,
  source: 'text' | 'json' = part === 'query' || part === 'path' ? 'text' : 'json',
): (value: unknown) => ValidationResult {
  let firstErrorValidator: ValidateFunction | undefined
  let allErrorsValidator: ValidateFunction | undefined
  return (value) => {
    firstErrorValidator ??= compile(schema, source, 'first')
    // Validation converts strings in place, and a second validation needs the original.
    const original = source === 'text' ? copyMembers(value) : value
    if (source === 'text') readIntegers(schema, value)
    if (firstErrorValidator(value)) return { value: decode(schema, value), faults: [] }
    const fault = toFault(firstErrorValidator.errors ?? [], part)
    if (!isSmall(original)) return { value: undefined, faults: [fault] }
    allErrorsValidator ??= compile(schema, source, 'all')
    if (source === 'text') readIntegers(schema, original)
    allErrorsValidator(original)
    const others = (allErrorsValidator.errors ?? []).map((error) => toFault([error], part))
    return { value: undefined, faults: [fault, ...withoutFault(others, fault).slice(0, FAULTS_MAX - 1)] }
  }
}

/** Creates a validator that returns just the value. Throws 400 `INVALID_INPUT` naming the field. */
export function validator<Schema extends TSchema>(
  schema: Schema,
  part: Part,
): (value: unknown) => Static<Schema>
export function validator(schema: JsonSchema, part: Part): (value: unknown) => unknown
export function validator(schema: JsonSchema, part: Part): (value: unknown) => unknown {
  const check = createChecker(schema, part)
  return (value) => {
    const { value: decoded, faults } = check(value)
    const [first, ...others] = faults
    if (first) throw toValidationError([first, ...others])
    return decoded
  }
}

/**
 * The error for an invalid request. Its `field` and message come from the first fault; `errors` lists all.
 */
export function toValidationError(faults: readonly [Fault, ...Fault[]]): ApiError {
  const [{ field, message }] = faults
  return new ApiError('INVALID_INPUT', { message, details: { field, errors: faults } })
}

/** Formats a path as a field name. An empty name becomes `""`. */
export function toFieldName(path: readonly string[], part: Part): string {
  return path.length === 0 ? part : path.map((name) => name || '""').join('.')
}

function toFault(errors: readonly ErrorObject[], part: Part): Fault {
  // The last error of a failed union is about the union itself. The actual error has the longest path.
  const error = errors.reduce((a, b) => (b.instancePath.length > a.instancePath.length ? b : a))
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  const missing = error.params.missingProperty
  const field = toFieldName([...path, ...(missing ? [missing] : [])], part)
  return { field, message: `${field} ${describeError(error)}` }
}

/** The distinct faults except the given one. */
function withoutFault(faults: readonly Fault[], { message }: Fault): Fault[] {
  const byMessage = new Map(faults.map((fault) => [fault.message, fault]))
  byMessage.delete(message)
  return [...byMessage.values()]
}

/** True if finding all errors of a value is cheap. Stops counting at the limit. */
function isSmall(value: unknown): boolean {
  let values = 0
  const fits = (part: unknown): boolean => {
    if (++values > EXPLAINED_VALUES_MAX) return false
    if (typeof part === 'string') return part.length <= EXPLAINED_CHARACTERS_MAX
    if (part === null || typeof part !== 'object') return true
    for (const property of Object.values(part)) if (!fits(property)) return false
    return true
  }
  return fits(value)
}

function copyMembers(members: unknown): unknown {
  const entries = Object.entries(members ?? {})
  return Object.fromEntries(entries.map(([name, text]) => [name, Array.isArray(text) ? [...text] : text]))
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
