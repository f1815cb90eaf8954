import { CONTACT_RULES, CONTACTS, type Contact } from '@countersign/contract/customers/contact-rules'
import { CONTACT_INITIAL, CONTACT_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { stateAfter } from '../../kernel/operation/transition.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'

/** The contacts that a customer has to verify, and their states. */

export type ContactStates = Pick<CustomerRow, 'email_verification' | 'phone_verification'>

/** The data that decides about a customer's contacts. */
type Described = Pick<CustomerRow, 'region' | 'email' | 'details'>

/** The column of each contact's state. */
const STATE_COLUMNS = { email: 'email_verification', phone: 'phone_verification' } as const

/** A customer's e-mail address or phone number; null without one. */
export function contactOf({ email, details }: Described, contact: Contact): string | null {
  return contact === 'email' ? email : (details.phoneNumber ?? null)
}

/** A contact's state; null if it needs no verification. */
export function contactState(states: ContactStates, contact: Contact): CustomerRow['email_verification'] {
  return states[STATE_COLUMNS[contact]]
}

/** The contacts required by a customer's country and not verified yet. */
export function listUnverifiedContacts(states: ContactStates): Contact[] {
  return CONTACTS.filter((contact) => contactState(states, contact) === CONTACT_INITIAL)
}

/** The states of a new customer's contacts that its country requires. */
export function firstContactStates(customer: Described): ContactStates {
  return statesBy((contact) => (mustBeVerified(customer, contact) ? CONTACT_INITIAL : null))
}

/**
 * The states after a change. A new address has to be verified again; one no longer required has no state. The
 * case of an e-mail address does not matter.
 */
export function contactStatesAfter(before: Described & ContactStates, after: Described): ContactStates {
  return statesBy((contact) => {
    if (!mustBeVerified(after, contact)) return null
    const state = contactState(before, contact)
    if (state === null) return CONTACT_INITIAL
    if (isSameContact(contactOf(before, contact), contactOf(after, contact))) return state
    return stateAfter(CONTACT_TRANSITIONS, state, 'change', contact)
  })
}

/** True if both are given and are the same address. Phone numbers have no letters. */
export function isSameContact(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && isSameEmail(one, other)
}

/** Compares e-mail addresses without regard to case; they are stored as written. */
export function isSameEmail(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** True if the customer has the contact, and a country that requires it, by service or address. */
function mustBeVerified(customer: Described, contact: Contact): boolean {
  if (contactOf(customer, contact) === null) return false
  return [customer.region, customer.details.address?.country].some((country) =>
    CONTACT_RULES.get(country ?? '')?.includes(contact),
  )
}

function statesBy(state: (contact: Contact) => CustomerRow['email_verification']): ContactStates {
  return { email_verification: state('email'), phone_verification: state('phone') }
}
