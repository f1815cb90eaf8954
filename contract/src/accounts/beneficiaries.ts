import { type TObject, Type } from 'typebox'
import { CalendarDate, CountryCode, Email, PhoneNumber } from '../core/formats.ts'
import { OneOfWords, Tag, Text } from '../core/schema.ts'
import { Personal, Secret } from '../core/sensitivity.ts'
import { Address } from './address.ts'

const individualFields = {
  beneficiaryType: Tag('INDIVIDUAL'),
  fullName: Text(255),
  birthDate: Type.Optional(CalendarDate),
  nationality: Type.Optional(Personal(CountryCode)),
  email: Type.Optional(Email),
  phoneNumber: Type.Optional(PhoneNumber),
  countryOfResidence: Type.Optional(Personal(CountryCode)),
  address: Type.Optional(Address),
}

/** The person who holds an account. Some countries require more: see the schemas below. */
export const IndividualBeneficiary = Type.Object(individualFields)

export const IndividualBeneficiaryWithAddress = Type.Object({ ...individualFields, address: Address })

export const IndividualBeneficiaryWithResidence = Type.Object({
  ...individualFields,
  countryOfResidence: Personal(CountryCode),
})

export const IndividualBeneficiaryWithPhoneAndResidence = Type.Object({
  ...individualFields,
  phoneNumber: PhoneNumber,
  countryOfResidence: Personal(CountryCode),
})

export const IndividualBeneficiaryWithPhoneAndAddress = Type.Object({
  ...individualFields,
  phoneNumber: PhoneNumber,
  address: Address,
})

export const IndividualBeneficiaryWithRegistration = Type.Object({
  ...individualFields,
  registrationNumber: Type.Optional(Text(100)),
})

/** For Colombia, with the type and number of an identity document. */
export const IndividualBeneficiaryWithDocument = Type.Object({
  ...individualFields,
  documentType: Type.Optional(
    OneOfWords(['CC', 'CE', 'TI', 'NIT', 'PP'], 'Type of Colombian identity document'),
  ),
  documentNumber: Type.Optional(Secret(Text(50))),
})

/** The business that holds an account. */
export const BusinessBeneficiary = Type.Object({
  beneficiaryType: Tag('BUSINESS'),
  legalName: Text(255),
  registrationNumber: Type.Optional(Text(100)),
  taxId: Type.Optional(Text(100)),
  email: Type.Optional(Email),
  phoneNumber: Type.Optional(PhoneNumber),
  countryOfResidence: Type.Optional(Personal(CountryCode)),
  address: Type.Optional(Address),
})

const EXAMPLE = {
  beneficiaryType: 'INDIVIDUAL',
  fullName: 'Ada Lovelace',
  phoneNumber: '+442079460958',
  countryOfResidence: 'GB',
  address: { line1: '12 St James Square', city: 'London', postalCode: 'SW1Y 4JH', country: 'GB' },
}

/** Returns an example holder with only the required fields. */
export function createExampleHolder(individual: TObject): Readonly<Record<string, unknown>> {
  const required: readonly string[] = individual.required ?? []
  return Object.fromEntries(Object.entries(EXAMPLE).filter(([name]) => required.includes(name)))
}
