import { setTimeout } from 'node:timers/promises'
import type { ErrorCode } from '@countersign/contract/core/errors'
import { FAULT_IN_WORDS, type Fault, type FaultError, parseFault } from '@countersign/contract/sandbox/faults'
import type { App, Op } from '../../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../../kernel/operation/operation.ts'
import { takeCallFault } from '../../../people/platforms/fault-rules.ts'
import type { Answer, Call } from '../request/call.ts'
import type { Route } from './route.ts'

const CODES = {
  409: 'CONFLICT',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_ERROR',
  503: 'UNAVAILABLE',
} as const satisfies Record<FaultError, ErrorCode>

/**
 * The fault that the sandbox injects into one call, so that programs can test their error handling. Known
 * once the caller is.
 */
export class CallFaults {
  #fault: Fault | undefined

  /**
   * Finds the fault requested by the call or a rule of its platform, before anything else. Returns the
   * operation, whose events carry the fault. Throws 400 for an invalid header, and for every header in
   * production; and the requested error.
   */
  async find({ app, name }: Pick<Route, 'app' | 'name'>, op: Op, call: Call): Promise<Op> {
    const asked = faultAsked(app, call)
    const fault = asked ?? (await takeCallFault(app, op, name))
    if (!fault) return op
    this.#fault = fault
    if (fault.error) throw faultError(app, fault.error, asked !== undefined)
    return fault.webhook ? { ...op, webhookFault: fault.webhook } : op
  }

  /** The response as the caller gets it: late, or not at all. */
  async apply({ wire }: App, answer: Answer): Promise<Answer> {
    if (!this.#fault) return answer
    const { losesAnswer, delayMs, error, webhook } = this.#fault
    const applied = [
      ...(losesAnswer ? ['lost-answer'] : []),
      ...(delayMs === undefined ? [] : [`delay=${delayMs}`]),
      ...(error === undefined ? [] : [`error=${error}`]),
      ...(webhook === undefined ? [] : [`webhook=${webhook}`]),
    ]
    if (delayMs) await setTimeout(delayMs)
    const headers = { ...answer.headers, [`${wire.sandboxFaultHeader}-Applied`]: applied.join(', ') }
    return { ...answer, headers, ...(losesAnswer ? { isLost: true } : {}) }
  }
}

/** True if a call may have a fault: nearly no call has a header for one, or a platform with rules. */
export function mayFault({ wire }: App, { platform }: Op, { headers }: Call): boolean {
  return (
    platform.config.sandboxConfig !== undefined ||
    headers[wire.sandboxFaultHeader.toLowerCase()] !== undefined
  )
}

/** The fault in the header of the call. */
function faultAsked({ wire, config }: App, { headers }: Call): Fault | undefined {
  const header = wire.sandboxFaultHeader
  const text = headers[header.toLowerCase()]
  if (text === undefined) return undefined
  if (config.mode === 'production')
    throw fieldError('INVALID_INPUT', header, `${header} is available in the sandbox only`)
  const fault = parseFault(String(text))
  if (!fault) throw fieldError('INVALID_INPUT', header, `${header} must be ${FAULT_IN_WORDS}, each once`)
  return fault
}

function faultError({ wire }: App, status: FaultError, isRequested: boolean): ApiError {
  const by = isRequested ? wire.sandboxFaultHeader : 'a rule in sandboxConfig.faults'
  return new ApiError(CODES[status], {
    message: `The sandbox returned this error because ${by} requested it. Nothing was done.`,
    ...(status === 429 || status === 503 ? { headers: { 'Retry-After': '1' } } : {}),
  })
}
