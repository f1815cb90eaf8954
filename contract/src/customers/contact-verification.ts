import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { PathId } from '../core/ids.ts'
import { Pattern } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'
import { Customer } from './customers.ts'

/** The code sent to the customer by e-mail or SMS. */
export const ContactVerificationConfirmRequest = Type.Object({
  code: Secret(Pattern('^[0-9]{6}$', { maxLength: 6, patternText: '6 digits' })),
})

const common = {
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  tag: 'Contact verification',
  params: Type.Object({ customerId: PathId }),
} as const

const NOT_PENDING = ['CONTACT_VERIFICATION_NOT_REQUIRED', 'CONTACT_ALREADY_VERIFIED'] as const

const sendEndpoint = {
  ...common,
  responses: { 204: null },
  errors: ['USER_NOT_FOUND', 'CUSTOMER_DELETED', ...NOT_PENDING, 'RATE_LIMITED', 'NOT_IMPLEMENTED'],
} as const

const SEND_LIMITS =
  'A code is valid for 10 minutes and 5 attempts, and a new code replaces it. Returns 409 if ' +
  'contactVerification is not PENDING: verification is not required, or already done. Returns 429 after ' +
  '5 codes in 10 minutes or 20 a day.'

const confirmEndpoint = {
  ...common,
  body: ContactVerificationConfirmRequest,
  responses: { 200: Customer },
  errors: ['INVALID_INPUT', 'USER_NOT_FOUND', 'CUSTOMER_DELETED', ...NOT_PENDING],
} as const

const CONFIRM_ERRORS =
  'Returns 400 INVALID_INPUT for the field code if the code is wrong, expired, replaced, or was sent to another address or number; each ' +
  'attempt counts. Returns 409 if verification is not required, or already done.'

export const customer_verify_email = endpoint({
  ...sendEndpoint,
  path: '/customers/{customerId}/verify-email',
  summary: 'Send a code to the e-mail address',
  description: `Sends a code by e-mail, to prove that the customer can read e-mail at the address. ${SEND_LIMITS}`,
})

export const customer_confirm_email = endpoint({
  ...confirmEndpoint,
  path: '/customers/{customerId}/verify-email/confirm',
  summary: 'Verify the e-mail address',
  description: `Checks the code from the e-mail and marks the address as verified. ${CONFIRM_ERRORS}`,
})

export const customer_verify_phone = endpoint({
  ...sendEndpoint,
  path: '/customers/{customerId}/verify-phone',
  summary: 'Send a code to the phone number',
  description: `Sends a code by SMS, to prove that the customer has the number. ${SEND_LIMITS}`,
})

export const customer_confirm_phone = endpoint({
  ...confirmEndpoint,
  path: '/customers/{customerId}/verify-phone/confirm',
  summary: 'Verify the phone number',
  description: `Checks the code from the SMS and marks the number as verified. ${CONFIRM_ERRORS}`,
})

export const contactVerification = {
  customer_verify_email,
  customer_confirm_email,
  customer_verify_phone,
  customer_confirm_phone,
}
