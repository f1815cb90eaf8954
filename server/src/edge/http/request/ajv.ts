import { isObject, type JsonSchema } from '@countersign/contract/core/decode'
import { type FreeFormMax, TEXT_FORMS, type TextForm } from '@countersign/contract/core/schema'
import { Ajv, type ValidateFunction } from 'ajv'
import type { DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js'
import addFormats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { requireValue } from '../../../base/formats/require-value.ts'
import { isWithinFreeForm } from '../../../base/json/free-form.ts'
import { INT64_MAX, INT64_MIN } from '../../../base/json/int64.ts'

export interface Int64Bounds {
  isNullable?: boolean
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
}

/** True if a string can be stored. PostgreSQL rejects U+0000, and UTF-8 cannot encode lone surrogates. */
function isWellFormed(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

function isWellFormedThroughout(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormed(value)
  if (Array.isArray(value)) return value.every(isWellFormedThroughout)
  // 1e400 parses as infinity, which JSON cannot express.
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value !== 'object') return true
  return Object.entries(value).every(([name, member]) => isWellFormed(name) && isWellFormedThroughout(member))
}

/**
 * `form` is the required form of a string. `true` only requires that the string, or every string in an
 * object, is storable.
 */
function isStorableText(form: TextForm | true, value: unknown): boolean {
  return isWellFormedThroughout(value) && (form === true || TEXT_FORMS[form].test(String(value)))
}

function isInt64(bounds: Int64Bounds, value: unknown): boolean {
  if (value === null) return bounds.isNullable ?? false
  if (typeof value !== 'bigint' && typeof value !== 'number') return false
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return false
  const amount = BigInt(value)
  if (amount < INT64_MIN || amount > INT64_MAX) return false
  if (bounds.minimum !== undefined && amount < BigInt(bounds.minimum)) return false
  if (bounds.exclusiveMinimum !== undefined && amount <= BigInt(bounds.exclusiveMinimum)) return false
  return bounds.maximum === undefined || amount <= BigInt(bounds.maximum)
}

const DIGITS = /^-?\d{1,19}$/

/**
 * Parses the integers among string parameters, in place. Only digits that fit 64 bits are integers. Any other
 * string is replaced with a value that no schema accepts as an integer, because the validator would read
 * `0x10`, `1e1` and `+5` the way JavaScript does.
 */
export function readIntegers({ properties = {} }: JsonSchema, members: unknown): void {
  if (!isObject(members)) return
  for (const [name, { type, format }] of Object.entries(properties)) {
    const text = members[name]
    if (type !== 'integer' || format === 'int64' || typeof text !== 'string') continue
    Object.assign(members, { [name]: DIGITS.test(text) ? Number(text) : {} })
  }
}

/** Converts an integer of a path or query to an exact bigint. */
function isInt64Text(
  bounds: Int64Bounds,
  text: unknown,
  _schema?: unknown,
  context?: DataValidationCxt,
): boolean {
  if (typeof text !== 'string' || !DIGITS.test(text)) return false
  const value = BigInt(text)
  if (context) context.parentData[context.parentDataProperty] = value
  return isInt64(bounds, value)
}

const isDateTime = (fullFormats['date-time'] as { validate(text: string): boolean }).validate

/** A date-time that the database can store: no leap seconds, and a UTC year from 1 to 9999. */
function isTimestamp(text: string): boolean {
  if (!isDateTime(text)) return false
  const year = new Date(text).getUTCFullYear()
  return year >= 1 && year <= 9999
}

function createAjv(options: { coerceTypes: false | 'array'; allErrors: boolean }): Ajv {
  const ajv = new Ajv({ ...options, useDefaults: true, strict: false, validateFormats: true, verbose: true })
  addFormats.default(ajv)
  ajv.addFormat('date-time', isTimestamp)
  ajv.addKeyword({
    keyword: 'freeFormMax',
    validate: (max: FreeFormMax, value: unknown) => isWithinFreeForm(value, max),
  })
  ajv.addKeyword({
    keyword: 'wellFormed',
    validate: isStorableText,
  })
  ajv.addKeyword(
    options.coerceTypes
      ? { keyword: 'int64', validate: isInt64Text, modifying: true }
      : { keyword: 'int64', validate: isInt64 },
  )
  ajv.addKeyword({
    keyword: 'memberByTag',
    // Without a type, the keyword would also receive non-objects such as null.
    type: 'object',
    errors: 'full',
    compile: (union: TaggedUnion) => validateByTag(ajv, union),
  })
  return ajv
}

interface TaggedUnion {
  readonly tag: string
  readonly members: readonly {
    readonly properties: Readonly<Record<string, { readonly enum: readonly string[] }>>
  }[]
}

/**
 * Validates a value of a closed union by its tag. Each alternative is compiled on first use, because
 * compiling all account types together takes over a second.
 */
function validateByTag(ajv: Ajv, { tag, members }: TaggedUnion): DataValidateFunction {
  const byTag = new Map(
    members.flatMap((schema) => {
      const values = requireValue(schema.properties[tag], `tag ${tag} in a union alternative`).enum
      return values.map((tagValue) => [tagValue, schema] as const)
    }),
  )
  const validate: DataValidateFunction = (value, context) => {
    const instancePath = context?.instancePath ?? ''
    const tagValue = isObject(value) ? value[tag] : undefined
    // A missing tag is reported by the schema's own `required`.
    if (tagValue === undefined) return true
    const schema = typeof tagValue === 'string' ? byTag.get(tagValue) : undefined
    if (!schema) {
      const params = { allowedValues: [...byTag.keys()] }
      validate.errors = [{ keyword: 'enum', instancePath: `${instancePath}/${tag}`, params }]
      return false
    }
    const check = ajv.compile(schema)
    if (check(value)) return true
    validate.errors = (check.errors ?? []).map((error) => ({
      ...error,
      // Ajv overwrites these properties with the whole union and its value.
      params: { ...error.params, own: { schema: error.schema, data: error.data } },
      instancePath: instancePath + error.instancePath,
    }))
    return false
  }
  return validate
}

/**
 * Bodies are JSON. Query and path parameters are strings on the wire, so `limit=20` is an integer and a
 * single string is a list of one item. The `first` validator stops at the first error; the `all` validator,
 * used for messages, reports every error.
 */
const COMPILERS = {
  json: {
    first: createAjv({ coerceTypes: false, allErrors: false }),
    all: createAjv({ coerceTypes: false, allErrors: true }),
  },
  text: {
    first: createAjv({ coerceTypes: 'array', allErrors: false }),
    all: createAjv({ coerceTypes: 'array', allErrors: true }),
  },
} as const

/**
 * Compiles a validator for one of our schemas. It validates parsed JSON or strings, and stops at the first
 * error or reports all.
 */
export function compile(
  schema: unknown,
  source: keyof typeof COMPILERS,
  faults: 'first' | 'all',
): ValidateFunction {
  return COMPILERS[source][faults].compile(withOwnKeywords(schema) as object)
}

/**
 * Rewrites a schema to use the keywords above: JSON Schema's `integer` does not support bigints, and closed
 * unions are distinguished by their tag.
 */
function withOwnKeywords(schema: unknown): unknown {
  if (!Array.isArray(schema) && !isObject(schema)) return schema
  // A shared schema must stay one object, so that a union alternative is compiled only once for all
  // endpoints.
  const cached = translated.get(schema)
  if (cached) return cached
  const translation = Array.isArray(schema) ? schema.map(withOwnKeywords) : translate(schema)
  translated.set(schema, translation)
  return translation
}

const translated = new WeakMap<object, object>()

function translate(schema: Readonly<Record<string, unknown>>): object {
  const { type, format, judgedByHandler, ...keywords } = schema
  if (judgedByHandler) return {}
  // Strings with a form must be readable: a pattern like [^\s/] would accept control characters and lone
  // surrogates.
  const hasForm = [type].flat().includes('string') && (schema.pattern !== undefined || format !== undefined)
  if (hasForm && schema.wellFormed !== 'line') return translate({ ...schema, wellFormed: 'line' })
  if (format === 'int64') {
    const { minimum, exclusiveMinimum, maximum }: Int64Bounds = keywords
    const isNullable = Array.isArray(type) && type.includes('null')
    return { int64: { isNullable, minimum, exclusiveMinimum, maximum } }
  }
  const {
    discriminator,
    oneOf,
    ...others
  }: {
    discriminator?: { propertyName: string }
    oneOf?: unknown[]
  } = keywords
  if (discriminator && oneOf)
    return {
      type,
      ...others,
      memberByTag: { tag: discriminator.propertyName, members: oneOf.map(withOwnKeywords) },
    }
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, withOwnKeywords(value)]))
}
