import type { verification_provider_event } from '@countersign/contract/customers/verifications'
import { ApiError, type ProcessorHandler } from '../../kernel/operation/operation.ts'
import { decideOpen } from './decide-open.ts'
import { selectEventDecision } from './store.ts'
import { findVerification, findVerificationWithPlatform, toVerificationView } from './verifications.ts'

/**
 * Handles events of the verification provider. An event decides once; a repeated event returns the current
 * verification.
 */
export const verificationProviderEvent: ProcessorHandler<typeof verification_provider_event> = {
  /** Throws 404 `VERIFICATION_NOT_FOUND`. */
  async resolvePlatform({ lookup }, { body }) {
    const verificationWithPlatform = await findVerificationWithPlatform(lookup, body.verificationId)
    if (!verificationWithPlatform)
      throw new ApiError('VERIFICATION_NOT_FOUND', { details: { field: 'verificationId' } })
    return { platform: verificationWithPlatform.platform, actor: { kind: 'verificationProvider' } }
  },

  async replay(op, { body }) {
    const earlierDecision = await selectEventDecision(op, body.verificationId, body.eventId)
    return (
      earlierDecision && {
        status: 200,
        body: toVerificationView(await findVerification(op, body.verificationId)),
      }
    )
  },

  async handle(op, { body }) {
    const { eventId, verificationId, type: _, ...outcome } = body
    const verification = await findVerification(op, verificationId)
    const decider = { type: 'PROVIDER', id: eventId } as const
    const { row, writes } = await decideOpen(op, verification, outcome, decider)
    return { status: 200, body: toVerificationView(row), writes }
  },

  timeout: () => undefined,
}
