import type { BeneficialOwner as OwnerSchema } from '@countersign/contract/customers/beneficial-owners'
import type { Static } from 'typebox'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { type Customer, formatAddress, listBusinessFacts, listPersonFacts } from '../customers/customer.ts'

type Owner = Static<typeof OwnerSchema>

/** The data provided by the customer, which the documents must confirm. */
export function Claims({ customer }: { readonly customer: Customer }) {
  return (
    <Panel
      title="Data from the customer"
      actions={<TextLink to={`/customers/${customer.id}`}>Open the customer</TextLink>}
    >
      <Facts
        items={[
          ...(customer.customerType === 'INDIVIDUAL'
            ? listPersonFacts(customer)
            : listBusinessFacts(customer)),
          ['Address', formatAddress(customer)],
          ['E-mail', customer.email],
          ['Phone', customer.phoneNumber],
        ]}
      />
    </Panel>
  )
}

/** Formats an owner's name. */
export function formatOwnerName({ firstName, middleName, lastName }: Owner['personalInfo']): string {
  return [firstName, middleName, lastName].filter(Boolean).join(' ')
}

/** The people who own or control a business, each with their own verification state. */
export function Owners({ owners }: { readonly owners: readonly Owner[] }) {
  if (owners.length === 0) return null
  return owners.map(({ id, personalInfo, roles, ownershipPercentage, kycStatus }) => (
    <Panel key={id} title={formatOwnerName(personalInfo)} actions={<Status state={kycStatus} />}>
      <Facts
        items={[
          ['Role', roles.map(formatConstant).join(', ')],
          ['Owns', ownershipPercentage === undefined ? undefined : `${ownershipPercentage} %`],
          ['Date of birth', personalInfo.birthDate],
          ['Nationality', personalInfo.nationality],
        ]}
      />
    </Panel>
  ))
}
