import type { TSchema } from 'typebox'

/** A successful call recorded by the tests. */
export interface RecordedCall {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Absent if the call has no body. For an upload, the text fields. */
  readonly body?: unknown
  /** Responses by status. null for a response without a body, a string for one that is not JSON. */
  readonly answers: Readonly<Record<string, unknown>>
}

/** The content of `docs/reference/examples.jsonl`: one line with the record ids, then one line per call. */
export interface RecordedExamples {
  /** The ids of the records used in the calls, by kind. */
  readonly records: Readonly<Record<string, string>>
  /** Recorded calls, by endpoint name. */
  readonly calls: Readonly<Record<string, RecordedCall>>
  /** One webhook for each event type. */
  readonly events?: Readonly<Record<string, unknown>>
}

/** Parses the file without validating it. */
export function parseExamples(text: string): RecordedExamples {
  const [records, ...calls] = text.trimEnd().split('\n')
  return {
    records: JSON.parse(records ?? '{}'),
    calls: Object.fromEntries(calls.map((line) => JSON.parse(line))),
  }
}

/** Parses the file with recorded events, one line per type. */
export function parseEvents(text: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
}

/** Formats the file with one line per call, so that diffs stay small. */
export function printExamples(
  { records, calls }: RecordedExamples,
  toJson: (value: unknown) => string,
): string {
  return [records, ...Object.entries(calls)].map((line) => `${toJson(line)}\n`).join('')
}

/** Wraps an example under a name, which API documentation tools show next to a response. */
export function toExamples(value: unknown): {
  readonly examples?: Readonly<Record<string, { value: unknown }>>
} {
  return value === undefined || value === null ? {} : { examples: { recorded: { value } } }
}

/** Returns the `example` property for a schema or media type, if there is an example. */
export function toExample(value: unknown): { readonly example?: unknown } {
  return value === undefined || value === null ? {} : { example: value }
}

/** Converts a recorded parameter from text to its schema's type. */
export function findParameterExample(
  schema: TSchema,
  text: string | undefined,
): { readonly example?: unknown } {
  if (text === undefined) return {}
  const { type }: { readonly type?: unknown } = schema
  if (type === 'array') return { example: [text] }
  return { example: type === 'integer' || type === 'boolean' ? JSON.parse(text) : text }
}
