import { type Static, type TObject, type TSchema, type TString, type TUnsafe, Type } from 'typebox'

/**
 * Building blocks of all schemas in the contract. They are plain JSON Schema, so that one object is the type,
 * the validation and the OpenAPI text. Eight keywords are our own:
 * - `format: "int64"` on an integer: a `bigint` in TypeScript, exact for every int64 on the wire.
 * - `wellFormed` on a string: no U+0000 (which PostgreSQL rejects) and no unpaired surrogates; for `line` and
 *   `prose`, see `TEXT_FORMS`.
 * - `freeFormMax` on an object with arbitrary keys: its maximum number of entries, depth and size.
 * - `patternText` on a string with a pattern: the pattern in words, for the error message "must be …".
 * - `knownWords` on a string: its known values; other values are accepted too.
 * - `sensitivity`: see `sensitivity.ts`.
 * - `documentedForm` on a string that the handler validates to return a specific error code: the JSON Schema
 *   keywords to document instead of the looser validation.
 * - `judgedByHandler: true`: validation accepts any value, because the handler decides whether the field is
 *   relevant.
 */

/** Our own keywords, which are removed from published documents: strict schema parsers do not know them. */
export const OWN_KEYWORDS: ReadonlySet<string> = new Set([
  'wellFormed',
  'patternText',
  'freeFormMax',
  'documentedForm',
  'judgedByHandler',
  'knownWords',
  'sensitivity',
])

/**
 * Characters that make text look different from its content: control characters, line and paragraph
 * separators, and direction marks. Does not include the joiners needed in Persian and Indic names.
 */
export const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** Text without a visible character, which consists only of white space and format characters. */
export const BLANK = /^[\s\p{Cf}]+$/u

/** Kinds of human-readable text. Neither allows `BLANK` text. */
export const TEXT_FORMS = {
  line: /^(?![\s\p{Cf}]+$)[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u,
  prose: /^(?![\s\p{Cf}]+$)(?:[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|[\t\n\r])*$/u,
} as const

export type TextForm = keyof typeof TEXT_FORMS

interface TextOptions {
  readonly description?: string
  readonly minLength?: number
}

function text(form: TextForm, maxLength: number, options: TextOptions) {
  return Type.String({ minLength: 1, maxLength, wellFormed: form, ...options })
}

/** A single line of readable text, such as a name, with 1 to `maxLength` characters. */
export function Text(maxLength: number, options: TextOptions = {}) {
  return text('line', maxLength, options)
}

/** Readable text that may have several lines, such as an explanation. */
export function Prose(maxLength: number, options: TextOptions = {}) {
  return text('prose', maxLength, options)
}

/**
 * Text that matches a pattern. The pattern must exclude U+0000 and surrogates. `patternText` describes it in
 * words.
 */
export function Pattern(
  pattern: string,
  options: { patternText?: string; description?: string; maxLength?: number } = {},
) {
  return Type.String({ pattern, maxLength: 255, ...options })
}

/** The documented form of a string that only the handler validates. */
export interface DocumentedForm {
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
}

/** Text that is only compared or decrypted, never stored: any characters, at most `maxLength`. */
export function Opaque(
  maxLength: number,
  options: { description?: string; knownWords?: readonly string[]; documentedForm?: DocumentedForm } = {},
) {
  return Type.String({ maxLength, ...options })
}

/** An amount in the smallest unit of its currency, or another 64-bit integer that must be exact. */
export function Int64(
  options: { minimum?: number; exclusiveMinimum?: number; maximum?: number; description?: string } = {},
): TUnsafe<bigint> {
  return Type.Unsafe<bigint>({ type: 'integer', format: 'int64', ...options })
}

/** `Int64` or null. */
export function NullableInt64(
  options: { minimum?: number; exclusiveMinimum?: number; maximum?: number; description?: string } = {},
): TUnsafe<bigint | null> {
  return Type.Unsafe<bigint | null>({ type: ['integer', 'null'], format: 'int64', ...options })
}

/** A string schema that also allows null. */
export function NullableText<T extends TString>(
  text: T,
  options: { description?: string } = {},
): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ ...text, type: ['string', 'null'], ...options })
}

/** An array that may be null. */
export function NullableArray<T extends TSchema>(
  items: T,
  options: { minItems?: number; maxItems?: number; uniqueItems?: boolean; description?: string } = {},
): TUnsafe<Static<T>[] | null> {
  return Type.Unsafe<Static<T>[] | null>({ type: ['array', 'null'], items, ...options })
}

/** An ISO 8601 date-time in UTC. */
export function Timestamp(description?: string) {
  return Type.String({ format: 'date-time', ...(description ? { description } : {}) })
}

/** One of a fixed list of words. */
export function OneOfWords<const T extends readonly string[]>(
  words: T,
  description?: string,
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...(description ? { description } : {}) })
}

/**
 * A closed union, whose members are flat objects. The constant field `discriminator` identifies the member.
 */
export function OneOf<T extends TObject[]>(
  discriminator: string,
  members: [...T],
): TUnsafe<Static<T[number]>> {
  return Type.Unsafe<Static<T[number]>>({
    type: 'object',
    discriminator: { propertyName: discriminator },
    required: [discriminator],
    oneOf: members,
  })
}

/** The constant field of a member of `OneOf`. */
export function Tag<const T extends string>(value: T): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: [value] })
}

/** An object with arbitrary keys. Its strings can be stored in the database. */
export function FreeForm(description?: string): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    wellFormed: true,
    ...(description ? { description } : {}),
  })
}

/** Limits of a free-form object: entries and items at all levels, levels of nesting, and bytes of JSON. */
export const FREE_FORM_MAX = { members: 100, levels: 5, bytes: 4096 } as const
export type FreeFormMax = typeof FREE_FORM_MAX

/** `FreeForm` in a request. It is stored, so it is limited by `FREE_FORM_MAX`. */
export function FreeFormInput(description: string): TUnsafe<Record<string, unknown>> {
  const { members, levels, bytes } = FREE_FORM_MAX
  return Type.Unsafe<Record<string, unknown>>({
    ...FreeForm(`${description}. At most ${members} members, ${levels} levels and ${bytes} bytes of JSON`),
    freeFormMax: FREE_FORM_MAX,
  })
}

/** The envelope of a paginated list (specification 2.13). */
export function Page<T extends TSchema>(item: T) {
  return Type.Object({
    data: Type.Array(item),
    hasMore: Type.Boolean(),
    nextCursor: Type.Optional(Type.String()),
    totalCount: Type.Optional(Type.Integer({ minimum: 0 })),
  })
}

/** `limit` and `cursor` of a paginated list, to be spread into an endpoint's query. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(
    Opaque(1024, { description: 'nextCursor of the previous page, with the same query' }),
  ),
}

/** Bounds on creation and update time, to be spread into an endpoint's query. */
export const timeRangeQuery = {
  createdAfter: Type.Optional(Timestamp()),
  createdBefore: Type.Optional(Timestamp()),
  updatedAfter: Type.Optional(Timestamp()),
  updatedBefore: Type.Optional(Timestamp()),
}

/** An uncompressed SEC1 P-256 public key in hex (specification 4.4). */
export const ClientPublicKey = Type.String({
  sensitivity: 'plain',
  pattern: '^04[0-9a-fA-F]{128}$',
  minLength: 130,
  maxLength: 130,
  patternText: 'an uncompressed P-256 public key in hex: 130 characters, the first two of them 04',
  description: 'Uncompressed SEC1 P-256 public key in hex',
})

/** The body of calls whose response is sealed to the given key. */
export const ClientPublicKeyRequest = Type.Object({ clientPublicKey: ClientPublicKey })
