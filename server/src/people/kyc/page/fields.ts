import {
  BENEFICIAL_OWNER_ROLES,
  IDENTIFICATION_TYPES,
} from '@countersign/contract/customers/beneficial-owners'
import {
  BUSINESS_TYPES,
  ENTITY_TYPES,
  MONTHLY_TRANSACTION_COUNTS,
  MONTHLY_TRANSACTION_VOLUMES,
  PURPOSES_OF_ACCOUNT,
} from '@countersign/contract/customers/business-info'
import type {
  BUSINESS_FIELDS,
  INDIVIDUAL_FIELDS,
} from '@countersign/contract/customers/verification-requirements'
import { humanize } from './words.ts'

/** A question in a form, and the record field that its answer fills. */
export interface Field {
  /** The path of the field in the request body. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** `secret`: only the last characters are shown, and empty input leaves the value unchanged. */
  readonly kind:
    | 'line'
    | 'prose'
    | 'date'
    | 'country'
    | 'countries'
    | 'choice'
    | 'choices'
    | 'whole'
    | 'secret'
  /** The values to choose from, with their labels. */
  readonly choices?: ReadonlyMap<string, string>
  readonly isOptional?: boolean
  /** The value of the HTML `autocomplete` attribute. */
  readonly autocomplete?: string
}

function toChoices(
  values: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, string> {
  return new Map(values.map((value) => [value, labels[value] ?? humanize(value)]))
}

function buildAddressFields(prefix: string, isAutocompleted: boolean): readonly Field[] {
  const fields: readonly Field[] = [
    { name: 'line1', label: 'Address line 1', kind: 'line', autocomplete: 'address-line1' },
    { name: 'line2', label: 'Address line 2', kind: 'line', autocomplete: 'address-line2', isOptional: true },
    { name: 'city', label: 'Town or city', kind: 'line', autocomplete: 'address-level2', isOptional: true },
    {
      name: 'state',
      label: 'State, province or region',
      kind: 'line',
      autocomplete: 'address-level1',
      isOptional: true,
    },
    { name: 'postalCode', label: 'Postal code', kind: 'line', autocomplete: 'postal-code' },
    { name: 'country', label: 'Country', kind: 'country', autocomplete: 'country' },
  ]
  return fields.map(({ autocomplete, ...field }) => ({
    ...field,
    name: `${prefix}${field.name}`,
    ...(isAutocompleted && autocomplete ? { autocomplete } : {}),
  }))
}

/** The questions for each field required of an individual. */
export const PERSON_FIELDS: Readonly<Record<(typeof INDIVIDUAL_FIELDS)[number], readonly Field[]>> = {
  fullName: [
    {
      name: 'fullName',
      label: 'Full name',
      hint: 'As shown in your passport or identity card',
      kind: 'line',
      autocomplete: 'name',
    },
  ],
  birthDate: [{ name: 'birthDate', label: 'Date of birth', kind: 'date', autocomplete: 'bday' }],
  nationality: [{ name: 'nationality', label: 'Nationality', kind: 'country' }],
  address: buildAddressFields('address.', true),
}

/** The questions for each field required of a business. */
export const COMPANY_FIELDS: Readonly<Record<(typeof BUSINESS_FIELDS)[number], readonly Field[]>> = {
  'businessInfo.legalName': [
    {
      name: 'businessInfo.legalName',
      label: 'Legal name of the business',
      hint: 'As registered',
      kind: 'line',
      autocomplete: 'organization',
    },
  ],
  'businessInfo.taxId': [{ name: 'businessInfo.taxId', label: 'Tax number', kind: 'secret' }],
  'businessInfo.countriesOfOperation': [
    { name: 'businessInfo.countriesOfOperation', label: 'Countries of operation', kind: 'countries' },
  ],
  address: buildAddressFields('address.', true),
}

/** Additional fields that a reviewer may request from a business. */
const EXTRA_COMPANY_FIELDS: readonly Field[] = [
  { name: 'businessInfo.incorporatedOn', label: 'Date of incorporation', kind: 'date' },
  { name: 'businessInfo.doingBusinessAs', label: 'Trading name', kind: 'line' },
  { name: 'businessInfo.country', label: 'Country of registration', kind: 'country' },
  { name: 'businessInfo.registrationNumber', label: 'Registration number', kind: 'secret' },
  {
    name: 'businessInfo.entityType',
    label: 'Legal form',
    kind: 'choice',
    choices: toChoices(ENTITY_TYPES, { LLC: 'LLC' }),
  },
  { name: 'businessInfo.businessType', label: 'Sector', kind: 'choice', choices: toChoices(BUSINESS_TYPES) },
  {
    name: 'businessInfo.purposeOfAccount',
    label: 'Purpose of the account',
    kind: 'choice',
    choices: toChoices(PURPOSES_OF_ACCOUNT, {
      CROSS_BORDER_B2B: 'Cross-border payments between businesses',
      AR_AUTOMATION: 'Accounts receivable automation',
      AP_AUTOMATION: 'Accounts payable automation',
      P2P_TRANSFERS: 'Transfers between people',
    }),
  },
  { name: 'businessInfo.sourceOfFunds', label: 'Source of funds', kind: 'prose' },
  {
    name: 'businessInfo.expectedMonthlyTransactionCount',
    label: 'Payments per month',
    kind: 'choice',
    choices: toChoices(MONTHLY_TRANSACTION_COUNTS, {
      COUNT_UNDER_10: 'Fewer than 10',
      COUNT_10_TO_100: '10 to 100',
      COUNT_100_TO_500: '100 to 500',
      COUNT_500_TO_1000: '500 to 1,000',
      COUNT_OVER_1000: 'More than 1,000',
    }),
  },
  {
    name: 'businessInfo.expectedMonthlyTransactionVolume',
    label: 'Monthly payment volume, in US dollars',
    kind: 'choice',
    choices: toChoices(MONTHLY_TRANSACTION_VOLUMES, {
      VOLUME_UNDER_10K: 'Less than 10,000',
      VOLUME_10K_TO_100K: '10,000 to 100,000',
      VOLUME_100K_TO_1M: '100,000 to 1 million',
      VOLUME_1M_TO_10M: '1 million to 10 million',
      VOLUME_OVER_10M: 'More than 10 million',
    }),
  },
  {
    name: 'businessInfo.expectedRecipientJurisdictions',
    label: 'Countries it sends payments to',
    kind: 'countries',
  },
]

/** Lists the questions about a customer: the required and the requested fields. */
export function listCustomerFields(
  type: 'INDIVIDUAL' | 'BUSINESS',
  requested: ReadonlySet<string>,
): readonly Field[] {
  if (type === 'INDIVIDUAL') return Object.values(PERSON_FIELDS).flat()
  return [
    ...Object.values(COMPANY_FIELDS).flat(),
    ...EXTRA_COMPANY_FIELDS.filter(({ name }) => requested.has(name)),
  ]
}

/** The questions about a beneficial owner. */
export const OWNER_FIELDS: readonly Field[] = [
  { name: 'personalInfo.firstName', label: 'First name', kind: 'line' },
  { name: 'personalInfo.middleName', label: 'Middle name', kind: 'line', isOptional: true },
  { name: 'personalInfo.lastName', label: 'Last name', kind: 'line' },
  { name: 'personalInfo.birthDate', label: 'Date of birth', kind: 'date' },
  { name: 'personalInfo.nationality', label: 'Nationality', kind: 'country' },
  {
    name: 'ownershipPercentage',
    label: 'Share of the business, in percent',
    hint: 'A whole number from 0 to 100',
    kind: 'whole',
  },
  {
    name: 'roles',
    label: 'Roles in the business',
    hint: 'Choose all that apply',
    kind: 'choices',
    choices: toChoices(BENEFICIAL_OWNER_ROLES, {
      UBO: 'Owner',
      CONTROL_PERSON: 'In control of the business, such as a chief executive',
    }),
  },
  ...buildAddressFields('personalInfo.address.', false),
  {
    name: 'personalInfo.idType',
    label: 'Type of tax or social security number',
    kind: 'choice',
    choices: toChoices(IDENTIFICATION_TYPES, {
      SSN: 'Social Security number (United States)',
      ITIN: 'Individual Taxpayer Identification Number (United States)',
      EIN: 'Employer Identification Number (United States)',
      NON_US_TAX_ID: 'Tax number of another country',
    }),
  },
  { name: 'personalInfo.identifier', label: 'Tax or social security number', kind: 'secret' },
]
