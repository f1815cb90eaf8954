import { DETAIL_CODES, ERROR_CODES, ERRORS } from '@countersign/contract/core/errors'
import { ERROR_ADVICE, retryAdvice } from '@countersign/contract/document/error-advice'

const STATUSES: Readonly<Record<number, string>> = {
  400: 'the request is not valid',
  401: 'credentials or signatures',
  403: 'not permitted',
  404: 'not found',
  405: 'method',
  408: 'too slow',
  409: 'conflicts',
  410: 'deleted',
  412: 'UMA version',
  413: 'too large',
  415: 'media type',
  424: "the receiver's provider",
  429: 'too many requests',
  500: 'faults',
  501: 'not configured',
  503: 'busy or not available',
}

/** Prints an entry for each code, grouped by status. */
export function errorEntries(): string {
  const statuses = [...new Set(ERROR_CODES.map((code) => ERRORS[code].status))].sort((a, b) => a - b)
  return statuses.map(statusSection).join('\n\n')
}

function statusSection(status: number): string {
  const title = STATUSES[status]
  if (title === undefined) throw new Error(`Give the status ${status} a title`)
  const codes = ERROR_CODES.filter((code) => ERRORS[code].status === status).sort()
  return [`## ${status}: ${title}`, ...codes.map(entry)].join('\n\n')
}

function entry(code: (typeof ERROR_CODES)[number]): string {
  const [when, remedy] = ERROR_ADVICE[code]
  return [
    `### \`${code}\``,
    [`- **When**: ${when}`, `- **What to do**: ${remedy}`, `- **Safe to retry**: ${retryAdvice(code)}`].join(
      '\n',
    ),
  ].join('\n\n')
}

/** Prints an entry for each code that may occur in `details.code`. */
export function formatDetailCodeTable(): string {
  return Object.entries(DETAIL_CODES)
    .map(([code, when]) => `### \`${code}\`\n\n${when}`)
    .join('\n\n')
}
