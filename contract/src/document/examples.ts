/** A call that succeeded, as the tests have recorded it. */
export interface RecordedCall {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Left out: the call has none. Of an upload its text fields. */
  readonly body?: unknown
  /** By status. An answer without a body is null, and a text is a string. */
  readonly answers: Readonly<Record<string, unknown>>
}

/** What `docs/reference/examples.json` holds. */
export interface RecordedExamples {
  /** The records that the calls are about, by their kinds. */
  readonly records: Readonly<Record<string, string>>
  /** By the name of the endpoint. */
  readonly calls: Readonly<Record<string, RecordedCall>>
}

/** The named form of an example, which readers of the document show beside an answer. */
export function recorded(value: unknown): {
  readonly examples?: Readonly<Record<string, { value: unknown }>>
} {
  return value === undefined || value === null ? {} : { examples: { recorded: { value } } }
}

/** A member of a schema or a media type that shows a value, where there is one. */
export function exampleOf(value: unknown): { readonly example?: unknown } {
  return value === undefined || value === null ? {} : { example: value }
}
