import type { JsonSchema } from '@countersign/contract/core/decode'
import { decode } from '@countersign/contract/core/decode'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { ApiError } from '../op/operation.ts'
import { compile } from './ajv.ts'
import { describe } from './words.ts'

/** Where in the request a schema applies; names the field in messages for what has no name of its own. */
export type Part = 'body' | 'query' | 'path' | 'answer'

/** What is wrong with one field of a request, in words. */
export interface Fault {
  /** Down from the body or query, with dots; an item of a list by its index. */
  readonly field: string
  readonly message: string
}

export type Checked =
  | { readonly value: unknown; readonly faults: readonly [] }
  | { readonly value: undefined; readonly faults: readonly [Fault, ...Fault[]] }

/** So many faults are told; whoever has more finds the others when these are mended. */
export const FAULTS_MAX = 20
/** Of a value with more values or longer texts the first fault is told alone: looking for all would cost too much. */
const EXPLAINED_VALUES_MAX = 500
const EXPLAINED_CHARACTERS_MAX = 4096

/**
 * A check of one schema, compiled at its first use. It gives the value as the schema's TypeScript type promises
 * (`bigint` amounts, unknown members left out), or what is wrong with it: what stopped the validation first.
 */
export function checker(schema: JsonSchema, part: Part): (value: unknown) => Checked {
  const source = part === 'query' || part === 'path' ? 'text' : 'json'
  let first: ValidateFunction | undefined
  let all: ValidateFunction | undefined
  return (value) => {
    first ??= compile(schema, source, 'first')
    // Text is changed into what it says while it is validated, and may have to be validated again.
    const given = source === 'text' ? copyOf(value) : value
    if (first(value)) return { value: decode(schema, value), faults: [] }
    const fault = faultOf(first.errors ?? [], part)
    if (!isSmall(given)) return { value: undefined, faults: [fault] }
    all ??= compile(schema, source, 'all')
    all(given)
    const others = (all.errors ?? []).map((error) => faultOf([error], part))
    return { value: undefined, faults: [fault, ...without(others, fault)].slice(0, FAULTS_MAX) as [Fault] }
  }
}

/** The same, for whom the value is enough. Error: 400 `INVALID_INPUT` that names the field. */
export function validator(schema: JsonSchema, part: Part): (value: unknown) => unknown {
  const check = checker(schema, part)
  return (value) => {
    const { value: decoded, faults } = check(value)
    const [first, ...others] = faults
    if (first) throw refusal([first, ...others])
    return decoded
  }
}

/** The refusal of a request: `field` and the message are those of the first fault, `errors` are all of them. */
export function refusal(faults: readonly [Fault, ...Fault[]]): ApiError {
  const [{ field, message }] = faults
  return new ApiError('INVALID_INPUT', { message, details: { field, errors: faults } })
}

/** The field that a path of names leads to. */
export function fieldAt(path: readonly string[], part: Part): string {
  return path.join('.') || part
}

function faultOf(errors: readonly ErrorObject[], part: Part): Fault {
  // The last error of a failed union is about the union; the deepest one says what is wrong.
  const error = errors.reduce((a, b) => (b.instancePath.length > a.instancePath.length ? b : a), errors[0]!)
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  const member = error.params.missingProperty
  const field = fieldAt([...path, ...(member ? [member] : [])], part)
  return { field, message: `${field} ${describe(error)}` }
}

/** Each of the faults once, without one of them. */
function without(faults: readonly Fault[], { message }: Fault): Fault[] {
  const byMessage = new Map(faults.map((fault) => [fault.message, fault]))
  byMessage.delete(message)
  return [...byMessage.values()]
}

/** Whether every fault of a value can be looked for in a moment. Walks no further than it must to say so. */
function isSmall(value: unknown): boolean {
  let values = 0
  const fits = (part: unknown): boolean => {
    if (++values > EXPLAINED_VALUES_MAX) return false
    if (typeof part === 'string') return part.length <= EXPLAINED_CHARACTERS_MAX
    if (part === null || typeof part !== 'object') return true
    for (const name in part) if (!fits((part as Readonly<Record<string, unknown>>)[name])) return false
    return true
  }
  return fits(value)
}

function copyOf(members: unknown): unknown {
  const entries = Object.entries(members as object)
  return Object.fromEntries(entries.map(([name, text]) => [name, Array.isArray(text) ? [...text] : text]))
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
