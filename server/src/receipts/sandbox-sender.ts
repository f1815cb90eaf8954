import type { CUSTOMER_INFO_FIELDS } from '@countersign/contract/config'

/** Who sends in the sandbox, as far as a platform may ask. */
export const SANDBOX_SENDER: Readonly<Record<(typeof CUSTOMER_INFO_FIELDS)[number], string>> = {
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
  IDENTIFIER: 'sandbox-sender',
  BUSINESS_TYPE: 'NONE',
  COMPANY_LEGAL_NAME: 'Sandbox Sender, Inc.',
  ID_TYPE: 'PASSPORT',
  ID_NUMBER: '000000000',
}
