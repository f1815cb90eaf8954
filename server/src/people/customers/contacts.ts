import { CONTACT_RULES, CONTACTS, type Contact } from '@countersign/contract/customers/contact-rules'
import { CONTACT_INITIAL, CONTACT_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { stateAfter } from '../../kernel/operation/transition.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'

/** The verification state of each contact that a customer must verify. */

export type ContactStates = Pick<CustomerRow, 'email_verification' | 'phone_verification'>

/** The data that determines which contacts must be verified. */
type ContactData = Pick<CustomerRow, 'region' | 'email' | 'details'>

/** The column of each contact's state. */
const STATE_COLUMNS = { email: 'email_verification', phone: 'phone_verification' } as const

/** A customer's e-mail address or phone number; null if it is missing. */
export function getContact({ email, details }: ContactData, contact: Contact): string | null {
  return contact === 'email' ? email : (details.phoneNumber ?? null)
}

/** The verification state of a contact; null if it needs no verification. */
export function getContactState(states: ContactStates, contact: Contact): CustomerRow['email_verification'] {
  return states[STATE_COLUMNS[contact]]
}

/** Lists the unverified contacts that the customer's country requires. */
export function listUnverifiedContacts(states: ContactStates): Contact[] {
  return CONTACTS.filter((contact) => getContactState(states, contact) === CONTACT_INITIAL)
}

/** The contact states of a new customer. */
export function getInitialContactStates(customer: ContactData): ContactStates {
  return mapContacts((contact) => (needsVerification(customer, contact) ? CONTACT_INITIAL : null))
}

/**
 * Computes the contact states after a change of the customer. A new address or number must be verified again.
 * A contact that no longer needs verification has no state.
 */
export function computeContactStates(before: ContactData & ContactStates, after: ContactData): ContactStates {
  return mapContacts((contact) => {
    if (!needsVerification(after, contact)) return null
    const state = getContactState(before, contact)
    if (state === null) return CONTACT_INITIAL
    if (isSameContact(getContact(before, contact), getContact(after, contact))) return state
    return stateAfter(CONTACT_TRANSITIONS, state, 'change', contact)
  })
}

/**
 * True if both are present and equal. Comparing without regard to case is safe for phone numbers too: they
 * have no letters.
 */
export function isSameContact(first: string | null, second: string | null): boolean {
  return first !== null && second !== null && isSameEmail(first, second)
}

/** Compares e-mail addresses without regard to case; they are stored as written. */
export function isSameEmail(first: string, second: string): boolean {
  return first.toLowerCase() === second.toLowerCase()
}

/**
 * True if the customer has this contact, and the country of its region or its address requires verification.
 */
function needsVerification(customer: ContactData, contact: Contact): boolean {
  if (getContact(customer, contact) === null) return false
  return [customer.region, customer.details.address?.country].some((country) =>
    CONTACT_RULES.get(country ?? '')?.includes(contact),
  )
}

function mapContacts(getState: (contact: Contact) => CustomerRow['email_verification']): ContactStates {
  return { email_verification: getState('email'), phone_verification: getState('phone') }
}
