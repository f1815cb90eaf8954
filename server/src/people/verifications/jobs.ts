import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { findCustomer, isDeleted } from '../customers/customers.ts'
import { findProviderLinks, makeProviderLinks } from '../documents/links.ts'
import { caseDigest, findCase, submissionOf } from './case.ts'
import { decideCase } from './decide.ts'
import { proceed } from './proceed.ts'
import { selectNewestVerification, selectVerification } from './store.ts'
import { isOpen } from './verifications.ts'

/** Rechecks a customer's open verification after a change of its data. */
export const checkVerification: JobHandler<'verification.check'> = async (op, { customerId }) => {
  if (await isDeleted(op, customerId)) return []
  const newest = await selectNewestVerification(op, customerId)
  if (!newest || !isOpen(newest)) return []
  return (await proceed(op, await findCustomer(op, customerId), false)).writes
}

/**
 * Submits a case to the provider, until there is a response. Does nothing if it was decided, or the customer
 * was submitted again, in the meantime.
 */
export const submitVerification: JobHandler<'verification.submit'> = async (op, payload) => {
  const verification = await selectVerification(op, payload.verificationId)
  if (verification?.status !== 'IN_PROGRESS' || verification.submission !== payload.submission) return []
  if (await isDeleted(op, verification.customer_id)) return []
  const one = await findCase(op, await findCustomer(op, verification.customer_id))
  // A case changed in the meantime is submitted again by the check of that change.
  if (verification.case_digest !== caseDigest(op, one)) return []
  if (!op.verifier) throw new Error('There is no verification provider')
  // The links must exist when the provider opens them, so they are committed first.
  const askedBy = `${verification.id}.${verification.submission}`
  const isLinked = payload.linkedUntil !== undefined && new Date(payload.linkedUntil) > op.now
  if (one.documents.length > 0 && !isLinked) {
    const { until, writes } = makeProviderLinks(op, one.documents, askedBy)
    const linkedUntil = until.toISOString()
    return [...writes, job(op, 'verification.submit', { ...payload, linkedUntil }, op.now)]
  }
  const links = await findProviderLinks(op, askedBy)
  const { decision, ...found } = await op.verifier.submit(submissionOf(op, one, verification, links))
  if (decision === 'WAIT') return []
  return (await decideCase(op, one, { before: verification }, { decision, ...found }, { type: 'PROVIDER' }))
    .writes
}
