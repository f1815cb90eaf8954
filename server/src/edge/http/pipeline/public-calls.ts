import type { Endpoint } from '@countersign/contract/core/endpoint'
import { ERRORS } from '@countersign/contract/core/errors'
import { type App, createOp, type Op } from '../../../kernel/operation/app.ts'
import { LogWith } from '../../../kernel/operation/log-fields.ts'
import { ApiError, type Input, type PublicHandler } from '../../../kernel/operation/operation.ts'
import { checkOwnPage, requestOrigin } from '../authentication/members.ts'
import type { Call, HttpResponse } from '../request/call.ts'
import { parseBody } from '../request/json-body.ts'
import { STRICTLY } from '../request/parse.ts'
import { encode } from '../response/encode.ts'
import type { Route } from './route.ts'

/** A parsed call whose body identified the caller, or the response to a call without a platform. */
export type Named = { readonly op: Op; readonly input: Input<Endpoint> } | { readonly answer: HttpResponse }

/**
 * Parses a public call. Throws 400 `INVALID_INPUT`, or 403 `FORBIDDEN` if a page of another origin sent it.
 */
export async function parsePublicInput({ app, parse }: Route, call: Call): Promise<Input<Endpoint>> {
  checkOwnPage(app, call, false)
  return parse({ params: call.params, query: call.query, body: parseBody(call.body) }, STRICTLY)
}

/**
 * Counts failed attempts, so that secrets cannot be guessed. A valid proof always passes. After too many
 * failures, throws 429 `RATE_LIMITED` instead of the original error.
 */
export async function withFailureCount(
  { failedAttempts }: Pick<App, 'failedAttempts'>,
  credentialName: string | undefined,
  run: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const countFailure = () => {
    if (credentialName === undefined) return
    failedAttempts.check('memberSignIns', credentialName)
    failedAttempts.recordFailure('memberSignIns', credentialName)
  }
  try {
    const answer = await run()
    if (answer.status === 401) countFailure()
    return answer
  } catch (error) {
    if (error instanceof ApiError && ERRORS[error.code].status === 401) countFailure()
    throw error
  }
}

/** Identifies the caller of a public call. Throws the handler's errors. */
export async function identifyCaller(
  route: Route,
  handler: PublicHandler<Endpoint>,
  call: Call,
  input: Input<Endpoint>,
): Promise<Named> {
  const { app } = route
  const from = requestOrigin(app, call)
  const caller = await handler.resolveCaller(app, input, from)
  if (!('platform' in caller)) {
    route.checkResponse?.(caller)
    return { answer: encode(caller, app.wire) }
  }
  call.trace.platformId = caller.platform.id
  const log = new LogWith(app.log, call.trace)
  const op = createOp(app, await app.withConfig(caller.platform), caller.actor, { log, from })
  return { op, input }
}
