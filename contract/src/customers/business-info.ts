import { Type } from 'typebox'
import { CalendarDate, CountryCode } from '../core/formats.ts'
import { OneOfWords, Prose, Text } from '../core/schema.ts'

export const ENTITY_TYPES = [
  'SOLE_PROPRIETORSHIP',
  'PARTNERSHIP',
  'LLC',
  'CORPORATION',
  'S_CORPORATION',
  'NON_PROFIT',
  'OTHER',
] as const

/** NAICS sectors, by name. */
export const BUSINESS_TYPES = [
  'AGRICULTURE_FORESTRY_FISHING_AND_HUNTING',
  'MINING_QUARRYING_AND_OIL_AND_GAS_EXTRACTION',
  'UTILITIES',
  'CONSTRUCTION',
  'MANUFACTURING',
  'WHOLESALE_TRADE',
  'RETAIL_TRADE',
  'TRANSPORTATION_AND_WAREHOUSING',
  'INFORMATION',
  'FINANCE_AND_INSURANCE',
  'REAL_ESTATE_AND_RENTAL_AND_LEASING',
  'PROFESSIONAL_SCIENTIFIC_AND_TECHNICAL_SERVICES',
  'MANAGEMENT_OF_COMPANIES_AND_ENTERPRISES',
  'ADMINISTRATIVE_AND_SUPPORT_AND_WASTE_MANAGEMENT_AND_REMEDIATION_SERVICES',
  'EDUCATIONAL_SERVICES',
  'HEALTH_CARE_AND_SOCIAL_ASSISTANCE',
  'ARTS_ENTERTAINMENT_AND_RECREATION',
  'ACCOMMODATION_AND_FOOD_SERVICES',
  'OTHER_SERVICES',
  'PUBLIC_ADMINISTRATION',
] as const

export const PURPOSES_OF_ACCOUNT = [
  'CONTRACTOR_PAYOUTS',
  'CREATOR_PAYOUTS',
  'EMPLOYEE_PAYOUTS',
  'MARKETPLACE_SELLER_PAYOUTS',
  'SUPPLIER_PAYMENTS',
  'CROSS_BORDER_B2B',
  'AR_AUTOMATION',
  'AP_AUTOMATION',
  'EMBEDDED_PAYMENTS',
  'PLATFORM_FEE_COLLECTION',
  'P2P_TRANSFERS',
  'CHARITABLE_DONATIONS',
  'OTHER',
] as const

export const MONTHLY_TRANSACTION_COUNTS = [
  'COUNT_UNDER_10',
  'COUNT_10_TO_100',
  'COUNT_100_TO_500',
  'COUNT_500_TO_1000',
  'COUNT_OVER_1000',
] as const

export const MONTHLY_TRANSACTION_VOLUMES = [
  'VOLUME_UNDER_10K',
  'VOLUME_10K_TO_100K',
  'VOLUME_100K_TO_1M',
  'VOLUME_1M_TO_10M',
  'VOLUME_OVER_10M',
] as const

const Countries = Type.Array(CountryCode, { maxItems: 250, uniqueItems: true })

const optionalFields = {
  doingBusinessAs: Type.Optional(Text(255)),
  country: Type.Optional(CountryCode),
  registrationNumber: Type.Optional(
    Text(100, {
      description: 'In the sandbox, its last three digits control the verification of the business',
    }),
  ),
  entityType: Type.Optional(OneOfWords(ENTITY_TYPES)),
  countriesOfOperation: Type.Optional(Countries),
  businessType: Type.Optional(OneOfWords(BUSINESS_TYPES)),
  purposeOfAccount: Type.Optional(OneOfWords(PURPOSES_OF_ACCOUNT)),
  sourceOfFunds: Type.Optional(Prose(1000)),
  expectedMonthlyTransactionCount: Type.Optional(OneOfWords(MONTHLY_TRANSACTION_COUNTS)),
  expectedMonthlyTransactionVolume: Type.Optional(OneOfWords(MONTHLY_TRANSACTION_VOLUMES, 'In US dollars')),
  isWidelyHeld: Type.Optional(
    Type.Boolean({
      description: 'True if only the named beneficial owners hold 25 % or more',
    }),
  ),
  expectedRecipientJurisdictions: Type.Optional(Countries),
}

/** Details of a business when it is created. */
export const BusinessInfo = Type.Object({
  legalName: Text(255),
  incorporatedOn: CalendarDate,
  taxId: Text(100),
  ...optionalFields,
})

/** Details of a business in a record. */
export const BusinessInfoRecord = Type.Object({
  legalName: Text(255),
  incorporatedOn: Type.Optional(CalendarDate),
  taxId: Type.Optional(Text(100)),
  ...optionalFields,
})

/** A change to a business's details. Omitted fields stay unchanged. */
export const BusinessInfoUpdate = Type.Object({
  legalName: Type.Optional(Text(255)),
  incorporatedOn: Type.Optional(CalendarDate),
  taxId: Type.Optional(Text(100)),
  ...optionalFields,
})
