import { Type } from 'typebox'
import { type Endpoint, endpoint, KIB } from '../core/endpoint.ts'
import { PathId } from '../core/ids.ts'
import { OneOfWords, Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'

/** The provider of the hosted page. This server always returns `COUNTERSIGN`, its own page. */
export const KYC_PROVIDERS = ['COUNTERSIGN', 'SUMSUB'] as const

export const KycProvider = OneOfWords(KYC_PROVIDERS, 'The provider of the page; COUNTERSIGN is this server')

export const KycLinkCreateRequest = Type.Object({
  redirectUri: Type.Optional(
    Type.String({
      format: 'uri',
      patternText: 'a URL that begins with https://, or with http:// and localhost',
      pattern: '^https?://',
      maxLength: 2048,
      wellFormed: true,
      description:
        'The address to which the page sends the person afterwards. https, or http to localhost, 127.0.0.1 or [::1]',
    }),
  ),
})

export const KycLink = Type.Object({
  kycUrl: Secret(Type.String({ format: 'uri', description: 'A secret link that can be opened once' })),
  expiresAt: Timestamp('The time at which the link expires'),
  provider: KycProvider,
  token: Type.Optional(
    Secret(Type.String({ description: "For another provider's client library; absent for COUNTERSIGN" })),
  ),
})

/** Creates a link to the page on which customers complete their verification themselves. */
export const kyc_link_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/customers/{customerId}/kyc-link',
  tag: 'Verifications',
  summary: 'Create a link to the verification page',
  description:
    'Creates a link that the platform sends to its customer. On the page, the customer provides missing ' +
    'data and documents and submits the verification. The link is valid for 24 hours and can be opened ' +
    'once; several may be valid at the same time, and creating one changes no status. Returns 409 ' +
    'CONTACT_NOT_VERIFIED while a contact of the customer is not verified, and 409 ' +
    'CUSTOMER_ALREADY_DECIDED once the customer is approved or rejected.',
  idempotent: true,
  isResponseSecret: true,
  params: Type.Object({ customerId: PathId }),
  body: KycLinkCreateRequest,
  bodyOptional: true,
  bodyBytesMax: 16 * KIB,
  responses: { 201: KycLink },
  errors: [
    'INVALID_INPUT',
    'USER_NOT_FOUND',
    'CUSTOMER_DELETED',
    'CUSTOMER_ALREADY_DECIDED',
    'CONTACT_NOT_VERIFIED',
  ],
})

export const kycLinks = { kyc_link_create } as const satisfies Record<string, Endpoint>
