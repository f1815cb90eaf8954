import type { kycLinks } from '@countersign/contract/customers/kyc-links'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { findCustomer } from '../customers/customers.ts'
import { checkCanHaveLink, checkRedirect, makeKycLink } from './kyc-links.ts'

export const kycLinkHandlers: Handlers<typeof kycLinks> = {
  kyc_link_create: async (op, { params, body }) => {
    const customer = await findCustomer(op, params.customerId)
    const redirectUri = checkRedirect(body?.redirectUri)
    checkCanHaveLink(customer)
    const { url, expiresAt, writes } = makeKycLink(op, customer, redirectUri)
    return {
      status: 201,
      body: { kycUrl: url, expiresAt: expiresAt.toISOString(), provider: 'COUNTERSIGN' },
      writes,
    }
  },
}
