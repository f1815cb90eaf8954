import type { JsonSchema } from '@countersign/contract/core/decode'
import { decode } from '@countersign/contract/core/decode'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { ApiError } from '../../../kernel/operation/operation.ts'
import { compile, readIntegers } from './ajv.ts'
import { describe } from './validation-messages.ts'

/** The part of the request that a schema describes; messages about the whole part use it as the field. */
export type Part = 'body' | 'query' | 'path' | 'answer'

/** An error in one field of a request. */
export interface Fault {
  /** The path within the body or query, with dots; list items by index. */
  readonly field: string
  readonly message: string
}

export type ValidationResult =
  | { readonly value: unknown; readonly faults: readonly [] }
  | { readonly value: undefined; readonly faults: readonly [Fault, ...Fault[]] }

/** The maximum number of errors that a refusal lists; the rest appears once these are fixed. */
export const FAULTS_MAX = 20
/**
 * For values with more fields or longer strings only the first error is reported, because finding all would
 * cost too much.
 */
const EXPLAINED_VALUES_MAX = 500
const EXPLAINED_CHARACTERS_MAX = 4096

/**
 * A validator of one schema, compiled at its first use. It returns the value in the schema's TypeScript type
 * (`bigint` amounts, without unknown properties), or its first error.
 */
export function checker(
  schema: JsonSchema,
  part: Part,
  source: 'text' | 'json' = part === 'query' || part === 'path' ? 'text' : 'json',
): (value: unknown) => ValidationResult {
  let first: ValidateFunction | undefined
  let all: ValidateFunction | undefined
  return (value) => {
    first ??= compile(schema, source, 'first')
    // Validation converts strings in place, and they may have to be validated again.
    const given = source === 'text' ? copyOf(value) : value
    if (source === 'text') readIntegers(schema, value)
    if (first(value)) return { value: decode(schema, value), faults: [] }
    const fault = faultOf(first.errors ?? [], part)
    if (!isSmall(given)) return { value: undefined, faults: [fault] }
    all ??= compile(schema, source, 'all')
    if (source === 'text') readIntegers(schema, given)
    all(given)
    const others = (all.errors ?? []).map((error) => faultOf([error], part))
    return { value: undefined, faults: [fault, ...withoutFault(others, fault).slice(0, FAULTS_MAX - 1)] }
  }
}

/** A validator that returns only the value. Throws 400 `INVALID_INPUT` that names the field. */
export function validator<Schema extends TSchema>(
  schema: Schema,
  part: Part,
): (value: unknown) => Static<Schema>
export function validator(schema: JsonSchema, part: Part): (value: unknown) => unknown
export function validator(schema: JsonSchema, part: Part): (value: unknown) => unknown {
  const check = checker(schema, part)
  return (value) => {
    const { value: decoded, faults } = check(value)
    const [first, ...others] = faults
    if (first) throw refusal([first, ...others])
    return decoded
  }
}

/** The refusal of a request: `field` and the message come from the first error, `errors` has all. */
export function refusal(faults: readonly [Fault, ...Fault[]]): ApiError {
  const [{ field, message }] = faults
  return new ApiError('INVALID_INPUT', { message, details: { field, errors: faults } })
}

/** The field at a path of names. An empty name is shown as `""`. */
export function fieldAt(path: readonly string[], part: Part): string {
  return path.length === 0 ? part : path.map((name) => name || '""').join('.')
}

function faultOf(errors: readonly ErrorObject[], part: Part): Fault {
  // The last error of a failed union is about the union itself; the deepest one is the actual error.
  const error = errors.reduce((a, b) => (b.instancePath.length > a.instancePath.length ? b : a))
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  const member = error.params.missingProperty
  const field = fieldAt([...path, ...(member ? [member] : [])], part)
  return { field, message: `${field} ${describe(error)}` }
}

/** The distinct errors, except one. */
function withoutFault(faults: readonly Fault[], { message }: Fault): Fault[] {
  const byMessage = new Map(faults.map((fault) => [fault.message, fault]))
  byMessage.delete(message)
  return [...byMessage.values()]
}

/** True if all errors of a value can be found quickly. Stops as soon as the limit is passed. */
function isSmall(value: unknown): boolean {
  let values = 0
  const fits = (part: unknown): boolean => {
    if (++values > EXPLAINED_VALUES_MAX) return false
    if (typeof part === 'string') return part.length <= EXPLAINED_CHARACTERS_MAX
    if (part === null || typeof part !== 'object') return true
    for (const member of Object.values(part)) if (!fits(member)) return false
    return true
  }
  return fits(value)
}

function copyOf(members: unknown): unknown {
  const entries = Object.entries(members ?? {})
  return Object.fromEntries(entries.map(([name, text]) => [name, Array.isArray(text) ? [...text] : text]))
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
