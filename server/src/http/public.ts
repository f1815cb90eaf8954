import type { Endpoint } from '@countersign/contract/core/endpoint'
import { createOp, type Op } from '../op/app.ts'
import { LogWith } from '../op/log-with.ts'
import type { Input, PublicHandler } from '../op/operation.ts'
import { encode } from './answers.ts'
import { parseBody } from './body.ts'
import type { Answer, Call } from './call.ts'
import { checkOwnPage, fromOf } from './members.ts'
import { STRICTLY } from './parse.ts'
import type { Route } from './route.ts'

/** A parsed call whose caller its body names, or the answer to one that is of no platform. */
export type Named = { readonly op: Op; readonly input: Input<Endpoint> } | { readonly answer: Answer }

/**
 * Parses a call that anybody may make, and finds out who does. Errors: 400 `INVALID_INPUT`, 403 `FORBIDDEN` for a page of another
 * origin, 429 `RATE_LIMITED` for an address with too many failed attempts, and those of the handler.
 */
export async function whoCalls(route: Route, handler: PublicHandler<Endpoint>, call: Call): Promise<Named> {
  const { app } = route
  checkOwnPage(app, call, false)
  app.failedAttempts.check('memberSignInsByAddress', call.address)
  const sent = { params: call.params, query: call.query, body: parseBody(call.body) }
  const input = await route.parse(sent, STRICTLY)
  const from = fromOf(app, call)
  const found = await handler.who(app, input, from)
  if (!('platform' in found)) {
    route.checkAnswer?.(found)
    return { answer: encode(found, app.wire) }
  }
  call.trace.platformId = found.platform.id
  const op = createOp(
    app,
    await app.withConfig(found.platform),
    found.actor,
    new LogWith(app.log, call.trace),
    from,
  )
  return { op, input }
}
