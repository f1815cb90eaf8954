import { Type } from 'typebox'
import { Address } from '../accounts/address.ts'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CalendarDate, CountryCode, Email, KycStatus, PhoneNumber } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { Personal, Secret } from '../core/sensitivity.ts'

export const BENEFICIAL_OWNER_ROLES = [
  'UBO',
  'DIRECTOR',
  'COMPANY_OFFICER',
  'CONTROL_PERSON',
  'TRUSTEE',
  'GENERAL_PARTNER',
] as const

export const IDENTIFICATION_TYPES = ['SSN', 'ITIN', 'EIN', 'NON_US_TAX_ID'] as const

const LAST_NAME = "In the sandbox, its last three characters control the person's verification"
const IDENTIFIER = 'Stored sealed. Responses show its last four characters'

const optionalPersonalInfo = {
  middleName: Type.Optional(Text(255)),
  email: Type.Optional(Email),
  phoneNumber: Type.Optional(PhoneNumber),
  countryOfIssuance: Type.Optional(Personal(CountryCode)),
}

export const BeneficialOwnerPersonalInfo = Type.Object({
  firstName: Text(255),
  lastName: Text(255, { description: LAST_NAME }),
  birthDate: CalendarDate,
  nationality: Personal(CountryCode),
  address: Address,
  idType: OneOfWords(IDENTIFICATION_TYPES),
  identifier: Secret(Text(100, { description: IDENTIFIER })),
  ...optionalPersonalInfo,
})

export const BeneficialOwnerPersonalInfoUpdate = Type.Partial(BeneficialOwnerPersonalInfo)

const Roles = Type.Array(OneOfWords(BENEFICIAL_OWNER_ROLES), {
  minItems: 1,
  maxItems: BENEFICIAL_OWNER_ROLES.length,
  uniqueItems: true,
})
const OwnershipPercentage = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'The owners of a business have at most 100 in total',
})

/** A beneficial owner of a business customer. */
export const BeneficialOwner = Type.Object({
  id: Id('BeneficialOwner'),
  customerId: Id('Customer'),
  roles: Roles,
  ownershipPercentage: OwnershipPercentage,
  personalInfo: BeneficialOwnerPersonalInfo,
  kycStatus: KycStatus,
  createdAt: Timestamp(),
  updatedAt: Type.Optional(Timestamp()),
})

export const BeneficialOwnerCreateRequest = Type.Object({
  customerId: Id('Customer'),
  roles: Roles,
  ownershipPercentage: OwnershipPercentage,
  personalInfo: BeneficialOwnerPersonalInfo,
})

export const BeneficialOwnerUpdateRequest = Type.Object({
  roles: Type.Optional(Roles),
  ownershipPercentage: Type.Optional(OwnershipPercentage),
  personalInfo: Type.Optional(BeneficialOwnerPersonalInfoUpdate),
})

const ownerPath = Type.Object({ beneficialOwnerId: PathId })
const TAG = 'Verifications'

export const beneficial_owner_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/beneficial-owners',
  tag: TAG,
  summary: 'Add a beneficial owner',
  description:
    "Adds a person who owns or controls a business. The customer must be a business. The person's " +
    'verification begins immediately.',
  idempotent: true,
  body: BeneficialOwnerCreateRequest,
  bodyBytesMax: 16 * KIB,
  responses: { 201: BeneficialOwner },
  errors: ['INVALID_INPUT', 'USER_NOT_FOUND', 'CUSTOMER_DELETED'],
})

export const beneficial_owner_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/beneficial-owners',
  tag: TAG,
  summary: 'List the beneficial owners of a business',
  description:
    'Lists the owners of one business, each with the state of the verification. customerId is required ' +
    'and must be a business.',
  query: Type.Object({ customerId: Id('Customer'), ...pageQuery }),
  responses: { 200: Page(BeneficialOwner) },
  errors: ['INVALID_INPUT'],
})

export const beneficial_owner_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/beneficial-owners/{beneficialOwnerId}',
  tag: TAG,
  summary: 'Read a beneficial owner',
  description:
    'Shows a person who owns or controls a business, with masked identifiers. A deleted business returns ' +
    '410.',
  params: ownerPath,
  responses: { 200: BeneficialOwner },
  errors: ['BENEFICIAL_OWNER_NOT_FOUND', 'CUSTOMER_DELETED'],
})

/** A new name requires a new verification of the person. */
export const beneficial_owner_update = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'PATCH',
  path: '/beneficial-owners/{beneficialOwnerId}',
  tag: TAG,
  summary: 'Change a beneficial owner',
  description:
    'Corrects an owner. Omitted fields keep their value; address is replaced as a whole. A changed name, ' +
    'date of birth or identifier triggers a new verification. An identifier in the masked form of ' +
    'responses leaves it unchanged.',
  params: ownerPath,
  body: BeneficialOwnerUpdateRequest,
  bodyBytesMax: 16 * KIB,
  responses: { 200: BeneficialOwner },
  errors: ['INVALID_INPUT', 'BENEFICIAL_OWNER_NOT_FOUND', 'CUSTOMER_DELETED'],
})

export const beneficialOwners = {
  beneficial_owner_create,
  beneficial_owner_list,
  beneficial_owner_get,
  beneficial_owner_update,
}
