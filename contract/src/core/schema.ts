import { type Static, type TObject, type TSchema, type TString, type TUnsafe, Type } from 'typebox'

/**
 * The building blocks of every schema in the contract. They stay plain JSON Schema, so that one object is the
 * type, the validation and the OpenAPI text. Eight keywords are our own:
 * - `format: "int64"` on an integer: a `bigint` in TypeScript, exact over all of int64 on the wire.
 * - `wellFormed` on a string: no U+0000 (PostgreSQL text refuses it) and no lone surrogate; `line` and
 *   `prose`: see `TEXT_FORMS`.
 * - `freeFormMax` on an object with keys of the caller's choice: their largest number, depth and size.
 * - `patternText` on a string with a pattern: the pattern in words, for the error message "must be …".
 * - `knownWords` on a string: its known values; others are accepted.
 * - `sensitivity`: see `sensitivity.ts`.
 * - `documentedForm` on a string that the handler checks, so that it has a separate error code: the JSON
 *   Schema keywords that the document shows in place of a looser validation.
 * - `judgedByHandler: true`: any value passes the validation, because the handler decides whether the field
 *   counts.
 */

/**
 * Our own keywords, which documents for others leave out: programs that read schemas strictly do not know
 * them.
 */
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
 * Characters that make text look different from its content: control characters, ends of lines and
 * paragraphs, and marks that set the direction of text. The joiners of Persian and Indic names are not
 * included.
 */
export const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** Text without a visible character: white space and characters without a glyph. */
export const BLANK = /^[\s\p{Cf}]+$/u

/** The forms of text that people read. `BLANK` text fits neither. */
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

/** One line of readable text, such as a name. 1 to `maxLength` characters. */
export function Text(maxLength: number, options: TextOptions = {}) {
  return text('line', maxLength, options)
}

/** Readable text of several lines, such as an explanation. */
export function Prose(maxLength: number, options: TextOptions = {}) {
  return text('prose', maxLength, options)
}

/** Text with its own pattern, which must exclude U+0000 and surrogates; `patternText` describes the pattern. */
export function Pattern(
  pattern: string,
  options: { patternText?: string; description?: string; maxLength?: number } = {},
) {
  return Type.String({ pattern, maxLength: 255, ...options })
}

/** The form that a document states for a string that only the handler validates. */
export interface DocumentedForm {
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
}

/** Text that is only ever compared or decrypted, never stored: any characters, at most `maxLength`. */
export function Opaque(
  maxLength: number,
  options: { description?: string; knownWords?: readonly string[]; documentedForm?: DocumentedForm } = {},
) {
  return Type.String({ maxLength, ...options })
}

/** An amount in the smallest unit of its currency, or another exact 64-bit integer. */
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

/** A string of another schema, or null. */
export function NullableText<T extends TString>(
  text: T,
  options: { description?: string } = {},
): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ ...text, type: ['string', 'null'], ...options })
}

/** A list, or null. */
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

/** One word of a fixed list. */
export function OneOfWords<const T extends readonly string[]>(
  words: T,
  description?: string,
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...(description ? { description } : {}) })
}

/** A closed union. The constant in `discriminator` identifies the member. Members are flat objects. */
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

/** The constant that identifies a member of `OneOf`. */
export function Tag<const T extends string>(value: T): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: [value] })
}

/** An object with keys of the caller's choice. Its strings can be stored. */
export function FreeForm(description?: string): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    wellFormed: true,
    ...(description ? { description } : {}),
  })
}

/** The bounds of a free-form object: names and items at all levels, levels, and bytes of its JSON. */
export const FREE_FORM_MAX = { members: 100, levels: 5, bytes: 4096 } as const
export type FreeFormMax = typeof FREE_FORM_MAX

/** `FreeForm` in a request, which is stored. It is bounded by `FREE_FORM_MAX`. */
export function FreeFormInput(description: string): TUnsafe<Record<string, unknown>> {
  const { members, levels, bytes } = FREE_FORM_MAX
  return Type.Unsafe<Record<string, unknown>>({
    ...FreeForm(`${description}. At most ${members} members, ${levels} levels and ${bytes} bytes of JSON`),
    freeFormMax: FREE_FORM_MAX,
  })
}

/** The paged list envelope (specification 2.13). */
export function Page<T extends TSchema>(item: T) {
  return Type.Object({
    data: Type.Array(item),
    hasMore: Type.Boolean(),
    nextCursor: Type.Optional(Type.String()),
    totalCount: Type.Optional(Type.Integer({ minimum: 0 })),
  })
}

/** `limit` and `cursor` of a paged list; spread into an endpoint's query. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(
    Opaque(1024, { description: 'nextCursor of the previous page, with the same query' }),
  ),
}

/** Bounds on creation and update time; spread into an endpoint's query. */
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

/** The body of calls that return something sealed to a key. */
export const ClientPublicKeyRequest = Type.Object({ clientPublicKey: ClientPublicKey })
