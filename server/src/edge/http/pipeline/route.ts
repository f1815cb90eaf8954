import { type Endpoint, isStream } from '@countersign/contract/core/endpoint'
import { ERROR_CODES, ERRORS, type ErrorCode } from '@countersign/contract/core/errors'
import type { App } from '../../../kernel/operation/app.ts'
import type { ApiError } from '../../../kernel/operation/operation.ts'
import { createParser, type Parser } from '../request/parse.ts'
import { createResponseCheck, type ResponseCheck } from '../response/encode.ts'

/** An endpoint prepared for the pipeline. */
export interface Route {
  readonly app: App
  readonly name: string
  readonly endpoint: Endpoint
  readonly parse: Parser<Endpoint>
  /** Codes that the handler may raise. */
  readonly codes: ReadonlySet<ErrorCode>
  readonly checkResponse: ResponseCheck | undefined
  /** True for lists and files. They read a lot and may use a standby. */
  readonly readsMuch: boolean
}

/** Codes that the pipeline itself may raise for any endpoint. */
const PIPELINE_CODES: ReadonlySet<ErrorCode> = new Set(
  ERROR_CODES.filter((code) => ERRORS[code].status === 401 || ERRORS[code].status >= 500),
).add('INVALID_INPUT')

export function createRoute(app: App, name: string, endpoint: Endpoint, checkResponses: boolean): Route {
  return {
    app,
    name,
    endpoint,
    parse: createParser(endpoint),
    codes: new Set([...endpoint.errors, ...PIPELINE_CODES]),
    checkResponse: checkResponses ? createResponseCheck(endpoint) : undefined,
    readsMuch: readsMuch(endpoint),
  }
}

function readsMuch(endpoint: Endpoint): boolean {
  const isList = 'limit' in (endpoint.query?.properties ?? {})
  return endpoint.method === 'GET' && !isStream(endpoint) && (isList || endpoint.texts !== undefined)
}

/** Throws if a handler raised an undeclared code, which is a bug. */
export function checkDeclared({ name, codes }: Route, { code }: ApiError): void {
  if (!codes.has(code)) throw new Error(`${name} raised ${code}, which it does not declare`)
}
