import { present } from '@countersign/contract/core/objects'
import type { countersign } from '../../data/client.ts'
import type { Customer } from './customer.ts'

type Change = Parameters<typeof countersign.customers.update>[1]

/** The editable fields of a customer, as typed. An empty string means unknown. */
export interface CustomerDraft {
  readonly name: string
  readonly birthDate: string
  readonly nationality: string
  readonly doingBusinessAs: string
  readonly incorporatedOn: string
  readonly taxId: string
  readonly registrationNumber: string
  readonly email: string
  readonly phoneNumber: string
  readonly line1: string
  readonly line2: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly country: string
}

export type DraftField = keyof CustomerDraft

/** A form field: its name, its label, and its input type. */
export type Field = readonly [name: DraftField, label: string, type?: 'email' | 'tel' | 'date']

const PERSON: readonly Field[] = [
  ['name', 'Name'],
  ['birthDate', 'Date of birth', 'date'],
  ['nationality', 'Nationality, two letters'],
]
const BUSINESS: readonly Field[] = [
  ['name', 'Legal name'],
  ['doingBusinessAs', 'Trades as'],
  ['incorporatedOn', 'Incorporated', 'date'],
  ['taxId', 'Tax id'],
  ['registrationNumber', 'Registration number'],
]
const CONTACT: readonly Field[] = [
  ['email', 'E-mail address', 'email'],
  ['phoneNumber', 'Phone number, with + and country code', 'tel'],
]
const ADDRESS: readonly Field[] = [
  ['line1', 'Street and number'],
  ['line2', 'Second line'],
  ['postalCode', 'Postal code'],
  ['city', 'City'],
  ['state', 'State or region'],
  ['country', 'Country, two letters'],
]

/** Returns the sections of the customer form. */
export function getSections({
  customerType,
}: Customer): readonly (readonly [title: string, readonly Field[]])[] {
  return [
    customerType === 'INDIVIDUAL' ? ['Person', PERSON] : ['Business', BUSINESS],
    ['Contact', CONTACT],
    ['Address', ADDRESS],
  ]
}

/** Fills the form from a record. */
export function createDraft(customer: Customer): CustomerDraft {
  const { email = '', phoneNumber = '', address } = customer
  const business = customer.customerType === 'BUSINESS' ? customer.businessInfo : undefined
  const person = customer.customerType === 'INDIVIDUAL' ? customer : undefined
  return {
    name: person?.fullName ?? business?.legalName ?? '',
    birthDate: person?.birthDate ?? '',
    nationality: person?.nationality ?? '',
    doingBusinessAs: business?.doingBusinessAs ?? '',
    incorporatedOn: business?.incorporatedOn ?? '',
    taxId: business?.taxId ?? '',
    registrationNumber: business?.registrationNumber ?? '',
    email,
    phoneNumber,
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    city: address?.city ?? '',
    state: address?.state ?? '',
    postalCode: address?.postalCode ?? '',
    country: address?.country ?? '',
  }
}

const ADDRESS_NAMES = ADDRESS.map(([name]) => name)

/**
 * Builds the request that updates the record to match the form: the changed fields, and the address as a
 * whole.
 */
export function buildChange(customer: Customer, draft: CustomerDraft): Change {
  const original = createDraft(customer)
  const findChange = (name: DraftField) =>
    draft[name].trim() === original[name] ? undefined : draft[name].trim()
  const shared = present({
    email: findChange('email'),
    phoneNumber: findChange('phoneNumber'),
    address: ADDRESS_NAMES.some((name) => findChange(name) !== undefined) ? buildAddress(draft) : undefined,
  })
  if (customer.customerType === 'INDIVIDUAL')
    return {
      customerType: 'INDIVIDUAL',
      ...shared,
      ...present({
        fullName: findChange('name'),
        birthDate: findChange('birthDate'),
        nationality: findChange('nationality'),
      }),
    }
  const businessInfo = present({
    legalName: findChange('name'),
    doingBusinessAs: findChange('doingBusinessAs'),
    incorporatedOn: findChange('incorporatedOn'),
    taxId: findChange('taxId'),
    registrationNumber: findChange('registrationNumber'),
  })
  return {
    customerType: 'BUSINESS',
    ...shared,
    ...(Object.keys(businessInfo).length > 0 ? { businessInfo } : {}),
  }
}

function buildAddress(draft: CustomerDraft) {
  const text = (name: DraftField) => draft[name].trim() || undefined
  return {
    line1: draft.line1.trim(),
    postalCode: draft.postalCode.trim(),
    country: draft.country.trim().toUpperCase(),
    ...present({ line2: text('line2'), city: text('city'), state: text('state') }),
  }
}

/** Fields that the API lets us clear by replacing the whole address. It cannot clear any other field. */
const REMOVABLE: readonly DraftField[] = ['line2', 'city', 'state']

/** Returns a field's error message. Undefined if the field is valid. */
export function findFieldError(
  name: DraftField,
  original: CustomerDraft,
  draft: CustomerDraft,
): string | undefined {
  const isEmpty = draft[name].trim() === ''
  if (isEmpty && original[name] !== '' && !REMOVABLE.includes(name))
    return 'This value can be changed but not removed.'
  const hasAddress = ADDRESS_NAMES.some((field) => draft[field].trim() !== '')
  const isNeeded = name === 'line1' || name === 'postalCode' || name === 'country'
  return isEmpty && hasAddress && isNeeded ? 'An address requires this field.' : undefined
}
