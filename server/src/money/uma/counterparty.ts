import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import { findCurrencyConfig, getPlatformConfig } from '../../people/platforms/platform-config.ts'
import type { Counterparty } from '../../storage/rows/stored-documents.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'

/** The counterparty in the sandbox. It has all the information that a platform may require. */
export const SANDBOX_COUNTERPARTY: Counterparty = {
  FULL_NAME: 'Grace Hopper',
  BIRTH_DATE: '1906-12-09',
  NATIONALITY: 'US',
  PHONE_NUMBER: '+12025550123',
  EMAIL: 'grace@example.com',
  POSTAL_ADDRESS: '1 Sandbox Street, Arlington, VA 22201, US',
  TAX_ID: '000-00-0000',
  REGISTRATION_NUMBER: '000000000',
  USER_TYPE: 'INDIVIDUAL',
  COUNTRY_OF_RESIDENCE: 'US',
  ACCOUNT_IDENTIFIER: '000123456789',
  FI_LEGAL_ENTITY_NAME: 'Countersign Sandbox Bank',
  FI_ADDRESS: '2 Sandbox Street, Arlington, VA 22201, US',
  PURPOSE_OF_PAYMENT: 'FAMILY_SUPPORT',
  ULTIMATE_INSTITUTION_COUNTRY: 'US',
  IDENTIFIER: 'sandbox-counterparty',
  BUSINESS_TYPE: 'NONE',
  COMPANY_LEGAL_NAME: 'Sandbox Counterparty, Inc.',
  ID_TYPE: 'PASSPORT',
  ID_NUMBER: '000000000',
}

/** The information about a customer that this platform discloses to counterparties. */
export function toCustomerCounterparty({ customer_type, email, region, details }: CustomerRow): Counterparty {
  const { fullName, birthDate, nationality, phoneNumber, businessInfo } = details
  return present({
    FULL_NAME: fullName,
    BIRTH_DATE: birthDate,
    NATIONALITY: nationality,
    PHONE_NUMBER: phoneNumber,
    EMAIL: email,
    USER_TYPE: customer_type,
    COUNTRY_OF_RESIDENCE: region,
    COMPANY_LEGAL_NAME: businessInfo?.legalName,
    REGISTRATION_NUMBER: businessInfo?.registrationNumber,
  })
}

/** The part of the disclosed information that the platform requires in this currency. */
export function pickRequired(op: Op, currency: string, disclosed: Counterparty): Counterparty {
  const required = findCurrencyConfig(getPlatformConfig(op), currency)?.requiredCounterpartyFields ?? []
  return present(Object.fromEntries(required.map(({ name }) => [name, disclosed[name]])))
}
