import type { Endpoint } from '@countersign/contract/core/endpoint'
import { ERRORS } from '@countersign/contract/core/errors'
import { type App, createOp, type Op } from '../../../kernel/operation/app.ts'
import { LogWith } from '../../../kernel/operation/log-fields.ts'
import { ApiError, type Input, type PublicHandler } from '../../../kernel/operation/operation.ts'
import { checkOwnPage, fromOf } from '../authentication/members.ts'
import type { Answer, Call } from '../request/call.ts'
import { parseBody } from '../request/json-body.ts'
import { STRICTLY } from '../request/parse.ts'
import { encode } from '../response/encode.ts'
import type { Route } from './route.ts'

/** A parsed call whose caller its body names, or the answer to one that is of no platform. */
export type Named = { readonly op: Op; readonly input: Input<Endpoint> } | { readonly answer: Answer }

/** Parses a call that anybody may make. Errors: 400 `INVALID_INPUT`, 403 `FORBIDDEN` for a page of another origin. */
export async function publicInput({ app, parse }: Route, call: Call): Promise<Input<Endpoint>> {
  checkOwnPage(app, call, false)
  return parse({ params: call.params, query: call.query, body: parseBody(call.body) }, STRICTLY)
}

/**
 * Counts a refusal of what a call tries to prove. A valid proof passes, however often others have failed: nothing here can be guessed
 * in the attempts that it has. Error: 429 `RATE_LIMITED` in place of the refusal, once there were too many.
 */
export async function countingFailures(
  { failedAttempts }: Pick<App, 'failedAttempts'>,
  tried: string | undefined,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const failed = () => {
    if (tried === undefined) return
    failedAttempts.check('memberSignIns', tried)
    failedAttempts.failed('memberSignIns', tried)
  }
  try {
    const answer = await run()
    if (answer.status === 401) failed()
    return answer
  } catch (error) {
    if (error instanceof ApiError && ERRORS[error.code].status === 401) failed()
    throw error
  }
}

/** Finds out who makes a call that anybody may make. Errors: those of the handler. */
export async function whoCalls(
  route: Route,
  handler: PublicHandler<Endpoint>,
  call: Call,
  input: Input<Endpoint>,
): Promise<Named> {
  const { app } = route
  const from = fromOf(app, call)
  const found = await handler.who(app, input, from)
  if (!('platform' in found)) {
    route.checkAnswer?.(found)
    return { answer: encode(found, app.wire) }
  }
  call.trace.platformId = found.platform.id
  const log = new LogWith(app.log, call.trace)
  const op = createOp(app, await app.withConfig(found.platform), found.actor, { log, from })
  return { op, input }
}
