import { Type } from 'typebox'
import { Address } from '../accounts/address.ts'
import { endpoint, KIB } from '../core/endpoint.ts'
import {
  CalendarDate,
  CountryCode,
  CurrencyCode,
  Email,
  KYC_STATUSES,
  KycStatus,
  PhoneNumber,
  Region,
  UmaAddress,
} from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { OneOf, OneOfWords, Page, pageQuery, Tag, Text, Timestamp, timeRangeQuery } from '../core/schema.ts'
import { Personal } from '../core/sensitivity.ts'
import { SignedRequestChallenge } from '../core/signed-retry.ts'
import { BeneficialOwner } from './beneficial-owners.ts'
import { BusinessInfo, BusinessInfoRecord, BusinessInfoUpdate } from './business-info.ts'

export const CUSTOMER_TYPES = ['INDIVIDUAL', 'BUSINESS'] as const
export const CONTACT_VERIFICATION_STATUSES = ['PENDING', 'VERIFIED'] as const

const ContactVerificationStatus = OneOfWords(CONTACT_VERIFICATION_STATUSES)

/**
 * The verification state of the e-mail address and telephone number. Absent if neither has to be verified.
 */
export const ContactVerification = Type.Object({
  email: Type.Optional(ContactVerificationStatus),
  phone: Type.Optional(ContactVerificationStatus),
})

const PlatformCustomerId = Text(255, { description: "The platform's own id, unique among its customers" })

const Currencies = Type.Array(CurrencyCode, {
  maxItems: 100,
  uniqueItems: true,
  description: "The customer's currencies, a subset of the platform's",
})

/** Ignored, because the server determines the status. */
const StatusIgnored = Type.Optional(OneOfWords(KYC_STATUSES, 'Read-only: ignored on input'))

const personFields = {
  fullName: Type.Optional(Text(255)),
  birthDate: Type.Optional(CalendarDate),
  nationality: Type.Optional(Personal(CountryCode)),
  address: Type.Optional(Address),
}

/** Receives SMS codes, unless a registration specifies another number (specification 4.1). */
const CustomerPhone = Type.Optional(PhoneNumber)

const createFields = {
  platformCustomerId: Type.Optional(
    Text(255, { description: "Unique among the platform's customers. Default: generated" }),
  ),
  region: Type.Optional(Region),
  currencies: Type.Optional(Currencies),
  email: Type.Optional(Email),
  phoneNumber: CustomerPhone,
  umaAddress: Type.Optional(UmaAddress),
}

export const IndividualCustomerCreateRequest = Type.Object({
  customerType: Tag('INDIVIDUAL'),
  ...createFields,
  ...personFields,
  kycStatus: StatusIgnored,
})

export const BusinessCustomerCreateRequest = Type.Object({
  customerType: Tag('BUSINESS'),
  ...createFields,
  address: Type.Optional(Address),
  businessInfo: Type.Optional(BusinessInfo),
  kybStatus: StatusIgnored,
})

export const CustomerCreateRequest = OneOf('customerType', [
  IndividualCustomerCreateRequest,
  BusinessCustomerCreateRequest,
])

const updateFields = {
  currencies: Type.Optional(Currencies),
  email: Type.Optional(Email),
  phoneNumber: CustomerPhone,
  umaAddress: Type.Optional(UmaAddress),
}

export const IndividualCustomerUpdateRequest = Type.Object({
  customerType: Tag('INDIVIDUAL'),
  ...updateFields,
  ...personFields,
  kycStatus: StatusIgnored,
})

export const BusinessCustomerUpdateRequest = Type.Object({
  customerType: Tag('BUSINESS'),
  ...updateFields,
  address: Type.Optional(Address),
  businessInfo: Type.Optional(BusinessInfoUpdate),
  kybStatus: StatusIgnored,
})

/**
 * A change to a customer. `customerType` must match the record, because a person cannot become a business.
 */
export const CustomerUpdateRequest = OneOf('customerType', [
  IndividualCustomerUpdateRequest,
  BusinessCustomerUpdateRequest,
])

const recordFields = {
  id: Id('Customer'),
  platformCustomerId: PlatformCustomerId,
  region: Type.Optional(Region),
  currencies: Type.Optional(Currencies),
  email: Type.Optional(Email),
  phoneNumber: CustomerPhone,
  umaAddress: UmaAddress,
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
  isDeleted: Type.Boolean(),
  contactVerification: Type.Optional(ContactVerification),
}

export const IndividualCustomer = Type.Object({
  customerType: Tag('INDIVIDUAL'),
  ...recordFields,
  ...personFields,
  kycStatus: KycStatus,
})

export const BusinessCustomer = Type.Object({
  customerType: Tag('BUSINESS'),
  ...recordFields,
  address: Type.Optional(Address),
  businessInfo: Type.Optional(BusinessInfoRecord),
  beneficialOwners: Type.Optional(Type.Array(BeneficialOwner)),
  kybStatus: KycStatus,
})

/** A customer of the platform, distinguished by `customerType`. */
export const Customer = OneOf('customerType', [IndividualCustomer, BusinessCustomer])

const customerPath = Type.Object({ customerId: PathId })

/** Creates a customer with accounts in its currencies. */
export const customer_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/customers',
  tag: 'Customers',
  summary: 'Create a customer',
  description:
    'Creates a person or a business with its internal accounts, including an embedded wallet. An omitted ' +
    'platformCustomerId or umaAddress is generated. The customer signs in to a wallet with the e-mail ' +
    'address given here.',
  idempotent: true,
  body: CustomerCreateRequest,
  bodyBytesMax: 32 * KIB,
  responses: { 201: Customer },
  errors: [
    'INVALID_INPUT',
    'INVALID_CURRENCY',
    'INVALID_UMA_ADDRESS',
    'PLATFORM_CUSTOMER_ID_EXISTS',
    'UMA_ADDRESS_EXISTS',
    'EMAIL_OTP_EMAIL_ALREADY_EXISTS',
    'NOT_IMPLEMENTED',
  ],
})

export const customer_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/customers',
  tag: 'Customers',
  summary: 'List customers',
  description: 'Lists customers, newest first. A customer must match all filters.',
  query: Type.Object({
    platformCustomerId: Type.Optional(Text(255)),
    customerType: Type.Optional(OneOfWords(CUSTOMER_TYPES)),
    region: Type.Optional(CountryCode),
    currency: Type.Optional(CurrencyCode),
    verificationStatus: Type.Optional(
      OneOfWords(KYC_STATUSES, 'The kycStatus of a person or the kybStatus of a business'),
    ),
    umaAddress: Type.Optional(Text(255)),
    search: Type.Optional(
      Text(255, {
        description:
          'The beginnings of words in the name, e-mail address, telephone number, UMA address or platformCustomerId',
      }),
    ),
    isIncludingDeleted: Type.Optional(Type.Boolean({ default: false })),
    ...timeRangeQuery,
    ...pageQuery,
  }),
  responses: { 200: Page(Customer) },
  errors: ['INVALID_INPUT'],
})

export const customer_csv = fileOfList(customer_list, 'customers')

export const customer_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/customers/{customerId}',
  tag: 'Customers',
  summary: 'Read a customer',
  description:
    'Shows a customer, with the state of the verification in kycStatus or kybStatus. A deleted customer ' +
    'returns 410.',
  params: customerPath,
  responses: { 200: Customer },
  errors: ['USER_NOT_FOUND', 'CUSTOMER_DELETED'],
})

/**
 * Changes the given fields. Changing an e-mail address that signs in to a wallet must be signed
 * (specification 4.7).
 */
export const customer_update = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'PATCH',
  path: '/customers/{customerId}',
  tag: 'Customers',
  summary: 'Change a customer',
  description:
    'Changes the properties of a customer that the request contains. Omitted properties keep their ' +
    'value. If the customer signs in to a wallet with the e-mail address, changing it first returns 202; ' +
    'the signed retry then changes the customer and the credential together.',
  signed: true,
  params: customerPath,
  body: CustomerUpdateRequest,
  bodyBytesMax: 32 * KIB,
  responses: { 200: Customer, 202: SignedRequestChallenge },
  errors: [
    'INVALID_INPUT',
    'INVALID_CURRENCY',
    'INVALID_UMA_ADDRESS',
    'USER_NOT_FOUND',
    'PLATFORM_CUSTOMER_ID_EXISTS',
    'UMA_ADDRESS_EXISTS',
    'EMAIL_OTP_EMAIL_ALREADY_EXISTS',
    'EMAIL_OTP_CREDENTIAL_SET_CHANGED',
    'CUSTOMER_DELETED',
  ],
})

/**
 * Marks a customer as deleted. Afterwards reads return 410, and only lists that include deleted customers
 * contain it.
 */
export const customer_delete = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'DELETE',
  path: '/customers/{customerId}',
  tag: 'Customers',
  summary: 'Delete a customer',
  description:
    'Closes a customer permanently. The record and its accounts remain, with isDeleted set. While an ' +
    'account of the customer holds money, or a payment or a card purchase is in progress, the call ' +
    'returns 409 CUSTOMER_NOT_EMPTY; details lists them in accounts, transactions and cardTransactions, ' +
    "at most 20 of each. The customer's sessions, credentials and delegated keys are revoked, its cards " +
    'are closed, its schedules end, and its mandates are canceled.',
  params: customerPath,
  responses: { 200: Customer },
  errors: ['USER_NOT_FOUND', 'CUSTOMER_NOT_EMPTY', 'CUSTOMER_DELETED'],
})

export const customers = { customer_create, customer_list, customer_csv, customer_get, customer_update }

export const customerDeletion = { customer_delete }
