import { CONTACT_RULES, CONTACTS, type Contact } from '@countersign/contract/customers/contact-rules'
import { CONTACT_INITIAL, CONTACT_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { stateAfter } from '../../kernel/operation/transition.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'

/** The contacts that a customer has to verify, and the state of each verification. */

export type ContactStates = Pick<CustomerRow, 'email_verification' | 'phone_verification'>

/** The data that determines which contacts must be verified. */
type Described = Pick<CustomerRow, 'region' | 'email' | 'details'>

/** The column of each contact's state. */
const STATE_COLUMNS = { email: 'email_verification', phone: 'phone_verification' } as const

/** A customer's e-mail address or phone number; null if it is missing. */
export function getContact({ email, details }: Described, contact: Contact): string | null {
  return contact === 'email' ? email : (details.phoneNumber ?? null)
}

/** The verification state of a contact; null if it needs no verification. */
export function contactState(states: ContactStates, contact: Contact): CustomerRow['email_verification'] {
  return states[STATE_COLUMNS[contact]]
}

/** The contacts that the customer's country requires and that are not verified yet. */
export function listUnverifiedContacts(states: ContactStates): Contact[] {
  return CONTACTS.filter((contact) => contactState(states, contact) === CONTACT_INITIAL)
}

/** The contact states of a new customer. */
export function initialContactStates(customer: Described): ContactStates {
  return mapContacts((contact) => (mustBeVerified(customer, contact) ? CONTACT_INITIAL : null))
}

/**
 * The contact states after a change of the customer. A new address or number has to be verified again. A
 * contact that needs no verification any longer has no state.
 */
export function contactStatesAfter(before: Described & ContactStates, after: Described): ContactStates {
  return mapContacts((contact) => {
    if (!mustBeVerified(after, contact)) return null
    const state = contactState(before, contact)
    if (state === null) return CONTACT_INITIAL
    if (isSameContact(getContact(before, contact), getContact(after, contact))) return state
    return stateAfter(CONTACT_TRANSITIONS, state, 'change', contact)
  })
}

/**
 * True if both are present and equal. Comparing without regard to case is safe for phone numbers too: they
 * have no letters.
 */
export function isSameContact(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && isSameEmail(one, other)
}

/** Compares e-mail addresses without regard to case; they are stored as written. */
export function isSameEmail(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/**
 * True if the customer has this contact, and the country of its region or its address requires verification.
 */
function mustBeVerified(customer: Described, contact: Contact): boolean {
  if (getContact(customer, contact) === null) return false
  return [customer.region, customer.details.address?.country].some((country) =>
    CONTACT_RULES.get(country ?? '')?.includes(contact),
  )
}

function mapContacts(state: (contact: Contact) => CustomerRow['email_verification']): ContactStates {
  return { email_verification: state('email'), phone_verification: state('phone') }
}
