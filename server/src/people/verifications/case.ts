import { toCanonicalJson } from '../../base/json/json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { FIRST_KEY } from '../../kernel/ports/enclave.ts'
import type { VerificationSubmission } from '../../kernel/ports/verifier.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import type { VerificationRow } from '../../storage/rows/verification.ts'
import { beneficialOwnerView, findBeneficialOwners, identifierOf } from '../customers/beneficial-owners.ts'
import { customerView } from '../customers/customers.ts'
import { documentView } from '../documents/documents.ts'
import { findCustomerDocuments } from '../documents/submission.ts'
import type { Case } from './requirements.ts'

/** Reads a customer's data for verification. The customer's version guards the customer and its owners. */
export async function findCase(op: Op, customer: CustomerRow): Promise<Case> {
  return {
    customer,
    owners: customer.customer_type === 'BUSINESS' ? await findBeneficialOwners(op, customer.id) : [],
    documents: await findCustomerDocuments(op, customer.id),
  }
}

/**
 * A digest of the data of a customer and its owners that is verified, in hex. If it changes after a
 * submission, the case is submitted again. Keyed, because it covers identifiers; always with the first data
 * key, so that it does not change with key rotation.
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

/** A case in the form in which it is sent to the provider. */
export function toSubmission(
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
