import type { BeneficialOwner as OwnerSchema } from '@countersign/contract/customers/beneficial-owners'
import type { Static } from 'typebox'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
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
        of={[
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
export function ownerName({ firstName, middleName, lastName }: Owner['personalInfo']): string {
  return [firstName, middleName, lastName].filter(Boolean).join(' ')
}

/** The people who own or control a business, each with their own verification state. */
export function Owners({ owners }: { readonly owners: readonly Owner[] }) {
  if (owners.length === 0) return null
  return owners.map(({ id, personalInfo, roles, ownershipPercentage, kycStatus }) => (
    <Panel key={id} title={ownerName(personalInfo)} actions={<Status of={kycStatus} />}>
      <Facts
        of={[
          ['Role', roles.map(wordsOf).join(', ')],
          ['Owns', ownershipPercentage === undefined ? undefined : `${ownershipPercentage} %`],
          ['Born', personalInfo.birthDate],
          ['Nationality', personalInfo.nationality],
        ]}
      />
    </Panel>
  ))
}
