import { Type } from 'typebox'
import { Address } from '../accounts/address.ts'
import { CalendarDate, CountryCode, Email, KycStatus, PhoneNumber } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { OneOfWords, Text, Timestamp } from '../core/schema.ts'

export const BENEFICIAL_OWNER_ROLES = [
  'UBO',
  'DIRECTOR',
  'COMPANY_OFFICER',
  'CONTROL_PERSON',
  'TRUSTEE',
  'GENERAL_PARTNER',
] as const

export const IDENTIFICATION_TYPES = ['SSN', 'ITIN', 'EIN', 'NON_US_TAX_ID'] as const

export const BeneficialOwnerPersonalInfo = Type.Object({
  firstName: Text(255),
  middleName: Type.Optional(Text(255)),
  lastName: Text(255, { description: 'In sandbox its last three characters steer the check of the person' }),
  birthDate: CalendarDate,
  nationality: CountryCode,
  email: Type.Optional(Email),
  phoneNumber: Type.Optional(PhoneNumber),
  address: Address,
  idType: OneOfWords(IDENTIFICATION_TYPES),
  identifier: Text(100),
  countryOfIssuance: Type.Optional(CountryCode),
})

/** A beneficial owner of a business customer. */
export const BeneficialOwner = Type.Object({
  id: Id('BeneficialOwner'),
  customerId: Id('Customer'),
  roles: Type.Array(OneOfWords(BENEFICIAL_OWNER_ROLES), { minItems: 1, uniqueItems: true }),
  ownershipPercentage: Type.Integer({ minimum: 0, maximum: 100 }),
  personalInfo: BeneficialOwnerPersonalInfo,
  kycStatus: KycStatus,
  createdAt: Timestamp(),
  updatedAt: Type.Optional(Timestamp()),
})
