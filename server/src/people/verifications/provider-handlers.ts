import type { verification_provider_event } from '@countersign/contract/customers/verifications'
import { ApiError, type ProcessorHandler } from '../../kernel/operation/operation.ts'
import { decideOpen } from './decide-open.ts'
import { selectDecisionOfEvent } from './store.ts'
import { findVerification, findVerificationWithPlatform, verificationView } from './verifications.ts'

/**
 * Handles events of the verification provider. An event decides once; a repeated event returns the
 * verification as it is.
 */
export const verificationProviderEvent: ProcessorHandler<typeof verification_provider_event> = {
  /** Throws 404 `VERIFICATION_NOT_FOUND`. */
  async whose({ lookup }, { body }) {
    const found = await findVerificationWithPlatform(lookup, body.verificationId)
    if (!found) throw new ApiError('VERIFICATION_NOT_FOUND', { details: { field: 'verificationId' } })
    return { platform: found.platform, actor: { kind: 'verificationProvider' } }
  },

  async replay(op, { body }) {
    const before = await selectDecisionOfEvent(op, body.verificationId, body.eventId)
    return before && { status: 200, body: verificationView(await findVerification(op, body.verificationId)) }
  },

  async handle(op, { body }) {
    const { eventId, verificationId, type: _, ...outcome } = body
    const verification = await findVerification(op, verificationId)
    const decider = { type: 'PROVIDER', id: eventId } as const
    const { row, writes } = await decideOpen(op, verification, outcome, decider)
    return { status: 200, body: verificationView(row), writes }
  },

  timeout: () => undefined,
}
