import { BLANK, type FreeFormMax, UNREADABLE } from '@countersign/contract/core/schema'
import type { ErrorObject } from 'ajv'
import type { Int64Bounds } from './ajv.ts'

/** Describes an error in words that follow the field name. */
type DescribeError = (error: ErrorObject) => string

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  date: 'a calendar date like 2026-01-31',
  'date-time': 'a time with a time zone, like 2026-01-31T12:00:00Z',
  uri: 'a URL',
}

/**
 * Descriptions by keyword. Patterns are hard to read, so a schema may describe its pattern in `patternText`.
 */
const MESSAGES: Readonly<Record<string, DescribeError>> = {
  required: () => 'is required',
  wellFormed: ({ schema, data }) => {
    if (schema === true) return 'must not contain U+0000, lone surrogates or numbers that are too large'
    if (BLANK.test(String(data)) && !UNREADABLE.test(String(data))) return 'must not be blank'
    return 'must not contain control characters, lone surrogates or text direction marks'
  },
  freeFormMax: ({ schema }) => {
    const { members, levels, bytes } = schema as FreeFormMax
    return `must have at most ${members} properties, ${levels} levels and ${bytes} bytes of JSON`
  },
  enum: ({ params }) => `must be one of ${params.allowedValues.join(', ')}`,
  int64: ({ schema }) => `must be an integer${describeBounds(schema as Int64Bounds)}`,
  type: ({ params }) => `must be ${describeTypes(params.type)}`,
  pattern: ({ params, parentSchema }) =>
    `must be ${parentSchema?.patternText ?? `a string that matches ${params.pattern}`}`,
  format: ({ params, parentSchema }) =>
    `must be ${parentSchema?.patternText ?? FORMATS[params.format] ?? params.format}`,
  minimum: ({ params }) => `must be at least ${params.limit}`,
  maximum: ({ params }) => `must be at most ${params.limit}`,
  exclusiveMinimum: ({ params }) => `must be more than ${params.limit}`,
  exclusiveMaximum: ({ params }) => `must be less than ${params.limit}`,
  minLength: ({ params }) =>
    params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`,
  maxLength: ({ params }) => `must have at most ${describeCount(params.limit, 'character')}`,
  minItems: ({ params }) =>
    params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} items`,
  maxItems: ({ params }) => `must have at most ${describeCount(params.limit, 'item')}`,
  uniqueItems: ({ params }) =>
    `must not contain duplicates: items ${[params.i, params.j].sort((a, b) => a - b).join(' and ')} are equal`,
  minProperties: ({ params }) => `must have at least ${describeCount(params.limit, 'property')}`,
  maxProperties: ({ params }) => `must have at most ${describeCount(params.limit, 'property')}`,
  additionalProperties: ({ params }) => `has the unknown property ${params.additionalProperty}`,
}

/** The keywords that have a description. A test compares them with the contract's schemas. */
export const DESCRIBED_KEYWORDS: readonly string[] = Object.keys(MESSAGES)

/** Describes an error in words that follow the field name, such as "must be at most 100". */
export function describeError(error: ErrorObject): string {
  // An error in a union carries the schema and value of its alternative.
  return MESSAGES[error.keyword]?.({ ...error, ...error.params.own }) ?? 'is not valid'
}

function describeTypes(types: string | readonly string[]): string {
  return [types]
    .flat()
    .map((type) => TYPES[type])
    .join(' or ')
}

function describeCount(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : noun === 'property' ? 'properties' : `${noun}s`}`
}

function describeBounds({ minimum, exclusiveMinimum, maximum }: Int64Bounds): string {
  const lower = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1)
  if (lower !== undefined && maximum !== undefined) return ` from ${lower} to ${maximum}`
  if (lower !== undefined) return ` of at least ${lower}`
  return maximum === undefined ? ' of 64 bits' : ` of at most ${maximum}`
}
