import { setTimeout } from 'node:timers/promises'
import type { ErrorCode } from '@countersign/contract/core/errors'
import { FAULT_IN_WORDS, type Fault, type FaultError, parseFault } from '@countersign/contract/sandbox/faults'
import type { App, Op } from '../../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../../kernel/operation/operation.ts'
import { takeCallFault } from '../../../people/platforms/fault-rules.ts'
import type { Call, HttpResponse } from '../request/call.ts'
import type { Route } from './route.ts'

const CODES = {
  409: 'CONFLICT',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_ERROR',
  503: 'UNAVAILABLE',
} as const satisfies Record<FaultError, ErrorCode>

/** The fault that the sandbox injects into one call, so that developers can test their error handling. */
export class CallFaults {
  #fault: Fault | undefined

  /**
   * Finds the fault requested by the call or by a platform rule, before any other step. Returns the
   * operation, whose events carry the fault. Throws the requested error, or 400 for an invalid header, as
   * every header is in production.
   */
  async find({ app, name }: Pick<Route, 'app' | 'name'>, op: Op, call: Call): Promise<Op> {
    const requested = readRequestedFault(app, call)
    const fault = requested ?? (await takeCallFault(app, op, name))
    if (!fault) return op
    this.#fault = fault
    if (fault.error) throw createFaultError(app, fault.error, requested !== undefined)
    return fault.webhook ? { ...op, webhookFault: fault.webhook } : op
  }

  /** Applies the fault to the response: delays it, or drops it. */
  async apply({ wire }: App, answer: HttpResponse): Promise<HttpResponse> {
    if (!this.#fault) return answer
    const { losesResponse, delayMs, error, webhook } = this.#fault
    const applied = [
      ...(losesResponse ? ['lost-answer'] : []),
      ...(delayMs === undefined ? [] : [`delay=${delayMs}`]),
      ...(error === undefined ? [] : [`error=${error}`]),
      ...(webhook === undefined ? [] : [`webhook=${webhook}`]),
    ]
    if (delayMs) await setTimeout(delayMs)
    const headers = { ...answer.headers, [`${wire.sandboxFaultHeader}-Applied`]: applied.join(', ') }
    return { ...answer, headers, ...(losesResponse ? { isLost: true } : {}) }
  }
}

/**
 * True if the call has a fault header, or its platform has sandbox settings. Nearly all calls have neither.
 */
export function mayFault({ wire }: App, { platform }: Op, { headers }: Call): boolean {
  return (
    platform.config.sandboxConfig !== undefined ||
    headers[wire.sandboxFaultHeader.toLowerCase()] !== undefined
  )
}

/** Reads the fault from the header of the call. */
function readRequestedFault({ wire, config }: App, { headers }: Call): Fault | undefined {
  const header = wire.sandboxFaultHeader
  const text = headers[header.toLowerCase()]
  if (text === undefined) return undefined
  if (config.mode === 'production')
    throw createFieldError('INVALID_INPUT', header, `${header} is only available in the sandbox.`)
  const fault = parseFault(String(text))
  if (!fault)
    throw createFieldError('INVALID_INPUT', header, `${header} must be ${FAULT_IN_WORDS}, each at most once.`)
  return fault
}

function createFaultError({ wire }: App, status: FaultError, isRequested: boolean): ApiError {
  const source = isRequested ? wire.sandboxFaultHeader : 'a rule in sandboxConfig.faults'
  return new ApiError(CODES[status], {
    message: `The sandbox returned this error because ${source} requested it. Nothing was done.`,
    ...(status === 429 || status === 503 ? { headers: { 'Retry-After': '1' } } : {}),
  })
}
