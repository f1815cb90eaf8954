import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { findCustomer, isDeleted } from '../customers/customers.ts'
import { findProviderLinks, makeProviderLinks } from '../documents/links.ts'
import { computeCaseDigest, findCase, toSubmission } from './case.ts'
import { decideCase } from './decide.ts'
import { proceed } from './proceed.ts'
import { selectNewestVerification, selectVerification } from './store.ts'
import { isOpen } from './verifications.ts'

/** Checks a customer's open verification again after its data has changed. */
export const checkVerification: JobHandler<'verification.check'> = async (op, { customerId }) => {
  if (await isDeleted(op, customerId)) return []
  const newest = await selectNewestVerification(op, customerId)
  if (!newest || !isOpen(newest)) return []
  return (await proceed(op, await findCustomer(op, customerId), false)).writes
}

/**
 * Submits a case to the provider, and repeats until the provider responds. Does nothing if the case was
 * decided or submitted again in the meantime.
 */
export const submitVerification: JobHandler<'verification.submit'> = async (op, payload) => {
  const verification = await selectVerification(op, payload.verificationId)
  if (verification?.status !== 'IN_PROGRESS' || verification.submission !== payload.submission) return []
  if (await isDeleted(op, verification.customer_id)) return []
  const caseData = await findCase(op, await findCustomer(op, verification.customer_id))
  // If the case has changed in the meantime, another job submits it again.
  if (verification.case_digest !== computeCaseDigest(op, caseData)) return []
  if (!op.verifier) throw new Error('No verification provider is configured')
  // The provider may open the links immediately, so a separate commit stores them first.
  const requestedBy = `${verification.id}.${verification.submission}`
  const isLinked = payload.linkedUntil !== undefined && new Date(payload.linkedUntil) > op.now
  if (caseData.documents.length > 0 && !isLinked) {
    const { until, writes } = makeProviderLinks(op, caseData.documents, requestedBy)
    const linkedUntil = until.toISOString()
    return [...writes, job(op, 'verification.submit', { ...payload, linkedUntil }, op.now)]
  }
  const links = await findProviderLinks(op, requestedBy)
  const { decision, ...outcome } = await op.verifier.submit(toSubmission(op, caseData, verification, links))
  if (decision === 'WAIT') return []
  return (
    await decideCase(op, caseData, { before: verification }, { decision, ...outcome }, { type: 'PROVIDER' })
  ).writes
}
