import type { JsonSchema } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { findUnknownMembers, type UnknownMember } from '@countersign/contract/core/unknown-members'
import { findNearest } from '../../../base/formats/did-you-mean.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import type { Input } from '../../../kernel/operation/operation.ts'
import type { UploadedFile } from '../../../kernel/operation/uploaded-file.ts'
import { isLenient } from '../../../people/platforms/platforms.ts'
import { FILE_PART } from './form.ts'
import {
  createChecker,
  FAULTS_MAX,
  type Fault,
  type Part,
  toFieldName,
  toValidationError,
  type ValidationResult,
} from './validate.ts'

/** The parts of a request that the schemas of an endpoint describe. */
export interface RequestParts {
  readonly params: unknown
  readonly query: unknown
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown
  /** The file of an upload, if the request has one. */
  readonly file?: UploadedFile | undefined
}

/** The schema of a part that an endpoint does not accept. */
const NOTHING = { properties: {} }
const NO_FILE: Fault = { field: FILE_PART, message: `${FILE_PART} is required` }
const CHECKED: ValidationResult = { value: {}, faults: [] }
/** Messages truncate longer names to this length. */
const REPEATED_CHARACTERS_MAX = 64

/**
 * Parses a request according to its endpoint; throws 400 `INVALID_INPUT` with all errors, unknown properties
 * last. Unknown properties are ignored for lenient platforms and for callers without an `op`, which are not
 * platforms. Read-only properties of the record are always ignored, so that clients can send back a record
 * they have read.
 */
export type Parser<E extends Endpoint> = (sent: RequestParts, op?: Op | typeof STRICTLY) => Promise<Input<E>>

/** Passed instead of an `op` while the platform is unknown. Unknown properties are rejected. */
export const STRICTLY = 'strictly'

export function createParser<E extends Endpoint>(endpoint: E): Parser<E> {
  const params = endpoint.params ? createChecker(endpoint.params, 'path') : () => CHECKED
  const query = endpoint.query ? createChecker(endpoint.query, 'query') : () => CHECKED
  // Form fields are strings, like query parameters.
  const source = endpoint.upload ? 'text' : 'json'
  const body = endpoint.body
    ? createChecker(endpoint.body, 'body', source)
    : () => ({ ...CHECKED, value: undefined })
  const shownBy = listRecordSchemas(endpoint)
  return async (sent, op) => {
    const hasNoBody = sent.body === undefined && endpoint.bodyOptional
    const parts = {
      params: params(sent.params),
      query: query(sent.query),
      body: hasNoBody ? { ...CHECKED, value: undefined } : body(sent.body),
    }
    const missing = endpoint.upload && !sent.file ? [NO_FILE] : []
    const invalid = [...parts.params.faults, ...parts.query.faults, ...parts.body.faults, ...missing]
    const unknown = op
      ? [
          ...findUnknownFields(endpoint.query ?? NOTHING, sent.query, 'query'),
          ...findUnknownFields(endpoint.body ?? NOTHING, sent.body, 'body', shownBy),
        ]
      : []
    const faults =
      op && unknown.length > 0 && (op === STRICTLY || !(await isLenient(op)))
        ? [...invalid, ...unknown]
        : invalid
    const [first, ...others] = faults.slice(0, FAULTS_MAX)
    if (first) throw toValidationError([first, ...others])
    const input = { params: parts.params.value, query: parts.query.value, body: parts.body.value }
    return { ...input, file: sent.file } as Input<E>
  }
}

/** The schemas of the record that an endpoint returns, without the challenge of a signed call. */
function listRecordSchemas({ responses, signed }: Endpoint): JsonSchema[] {
  return Object.entries(responses).flatMap(([status, schema]) =>
    schema === null || (signed && status === '202') ? [] : [schema],
  )
}

function findUnknownFields(
  schema: JsonSchema,
  value: unknown,
  part: Part,
  shownBy: readonly JsonSchema[] = [],
): Fault[] {
  const unknown = findUnknownMembers(schema, value, { countMax: FAULTS_MAX, shownBy })
  return unknown.map((member) => buildUnknownFieldFault(member, part))
}

/** For example: "customerInfo.fulName is not known; did you mean fullName?" */
function buildUnknownFieldFault({ path, known }: UnknownMember, part: Part): Fault {
  const suggestion = findNearest(path.at(-1) ?? '', known)
  const field = toFieldName(path.map(shortenName), part)
  return { field, message: `${field} is not known${suggestion ? `; did you mean ${suggestion}?` : ''}` }
}

function shortenName(name: string): string {
  const text = name.slice(0, REPEATED_CHARACTERS_MAX).toWellFormed()
  return name.length > REPEATED_CHARACTERS_MAX ? `${text}…` : text
}
