import type { TSchema } from 'typebox'

/** A successful call that the tests recorded. */
export interface RecordedCall {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Absent if the call has no body. For an upload, its text fields. */
  readonly body?: unknown
  /** Keyed by status. A response without a body is null, and one that is not JSON is a string. */
  readonly answers: Readonly<Record<string, unknown>>
}

/** The content of `docs/reference/examples.jsonl`: a line with the records, then a line for each call. */
export interface RecordedExamples {
  /** The records that the calls use, by their kinds. */
  readonly records: Readonly<Record<string, string>>
  /** Keyed by the endpoint's name. */
  readonly calls: Readonly<Record<string, RecordedCall>>
  /** One webhook per event type. */
  readonly events?: Readonly<Record<string, unknown>>
}

/** Reads the text of the file. Does not check it. */
export function parseExamples(text: string): RecordedExamples {
  const [records, ...calls] = text.trimEnd().split('\n')
  return {
    records: JSON.parse(records ?? '{}'),
    calls: Object.fromEntries(calls.map((line) => JSON.parse(line))),
  }
}

/** Reads the file with the events: a line for each type. */
export function parseEvents(text: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
}

/** The text of the file: a change of one call changes one line. */
export function printExamples(
  { records, calls }: RecordedExamples,
  toJson: (value: unknown) => string,
): string {
  return [records, ...Object.entries(calls)].map((line) => `${toJson(line)}\n`).join('')
}

/** The named form of an example, which readers of the document show next to a response. */
export function toExamples(value: unknown): {
  readonly examples?: Readonly<Record<string, { value: unknown }>>
} {
  return value === undefined || value === null ? {} : { examples: { recorded: { value } } }
}

/** An example for a property of a schema or a media type, if it has one. */
export function exampleOf(value: unknown): { readonly example?: unknown } {
  return value === undefined || value === null ? {} : { example: value }
}

/** A recorded parameter, which is text, as a value of its schema. */
export function parameterExample(schema: TSchema, text: string | undefined): { readonly example?: unknown } {
  if (text === undefined) return {}
  const { type }: { readonly type?: unknown } = schema
  if (type === 'array') return { example: [text] }
  return { example: type === 'integer' || type === 'boolean' ? JSON.parse(text) : text }
}
