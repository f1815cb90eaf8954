import { toCanonicalJson } from '../../base/json/json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { FIRST_KEY } from '../../kernel/ports/enclave.ts'
import type { VerificationSubmission } from '../../kernel/ports/verifier.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import type { VerificationRow } from '../../storage/rows/verification.ts'
import { beneficialOwnerView, findBeneficialOwners, identifierOf } from '../customers/beneficial-owners.ts'
import { customerView } from '../customers/customers.ts'
import { documentView } from '../documents/documents.ts'
import { findDocumentsOf } from '../documents/submission.ts'
import type { Case } from './requirements.ts'

/** A customer's data. The customer's version guards it and its owners. */
export async function findCase(op: Op, customer: CustomerRow): Promise<Case> {
  return {
    customer,
    owners: customer.customer_type === 'BUSINESS' ? await findBeneficialOwners(op, customer.id) : [],
    documents: await findDocumentsOf(op, customer.id),
  }
}

/**
 * A digest of a customer's and its owners' verified data, in hex; if it changes after the submission, a new
 * submission follows. Keyed, because it covers identifiers; always by the first data key, so that it stays
 * the same.
 */
export function caseDigest(op: Op, { customer, owners }: Case): string {
  const { customer_type, region, email, details } = customer
  const content = {
    customer: { customer_type, region, email, details },
    owners: owners.map((owner) => ({
      id: owner.id,
      roles: owner.roles,
      share: owner.ownership_percentage,
      info: owner.personal_info,
      identifier: identifierOf(op, owner),
    })),
  }
  return Buffer.from(op.enclave.mac('verification', toCanonicalJson(content), FIRST_KEY)).toString('hex')
}

/** A case as sent to the provider. */
export function submissionOf(
  op: Op,
  { customer, owners, documents }: Case,
  { id, submission }: Pick<VerificationRow, 'id' | 'submission'>,
  links: ReadonlyMap<string, string>,
): VerificationSubmission {
  return {
    verificationId: id,
    submission,
    platformId: op.platform.id,
    customer: customerView(customer),
    beneficialOwners: owners.map((owner) => {
      const view = beneficialOwnerView(owner)
      return { ...view, personalInfo: { ...view.personalInfo, identifier: identifierOf(op, owner) } }
    }),
    documents: documents.flatMap((document) => {
      const url = links.get(document.id)
      return url === undefined ? [] : [{ ...documentView(document), url }]
    }),
  }
}
