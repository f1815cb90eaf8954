import { toCanonicalJson } from '../../base/json/json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { FIRST_KEY } from '../../kernel/ports/enclave.ts'
import type { VerificationSubmission } from '../../kernel/ports/verifier.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import type { VerificationRow } from '../../storage/rows/verification.ts'
import {
  findBeneficialOwners,
  openIdentifier,
  toBeneficialOwnerView,
} from '../customers/beneficial-owners.ts'
import { toCustomerView } from '../customers/customers.ts'
import { toDocumentView } from '../documents/documents.ts'
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
 * Computes a digest in hex of the verified data of a customer and its owners. If it changes after a
 * submission, the case is submitted again. It is keyed because it covers identifiers, and always with the
 * first data key, so that key rotation does not change it.
 */
export function computeCaseDigest(op: Op, { customer, owners }: Case): string {
  const { customer_type, region, email, details } = customer
  const content = {
    customer: { customer_type, region, email, details },
    owners: owners.map((owner) => ({
      id: owner.id,
      roles: owner.roles,
      share: owner.ownership_percentage,
      info: owner.personal_info,
      identifier: openIdentifier(op, owner),
    })),
  }
  return Buffer.from(op.enclave.mac('verification', toCanonicalJson(content), FIRST_KEY)).toString('hex')
}

/** Converts a case to the request body for the provider. */
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
    customer: toCustomerView(customer),
    beneficialOwners: owners.map((owner) => {
      const view = toBeneficialOwnerView(owner)
      return { ...view, personalInfo: { ...view.personalInfo, identifier: openIdentifier(op, owner) } }
    }),
    documents: documents.flatMap((document) => {
      const url = links.get(document.id)
      return url === undefined ? [] : [{ ...toDocumentView(document), url }]
    }),
  }
}
