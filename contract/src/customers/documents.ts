import { Type } from 'typebox'
import { type Endpoint, endpoint, MIB } from '../core/endpoint.ts'
import type { ErrorCode } from '../core/errors.ts'
import { CalendarDate, CountryCode } from '../core/formats.ts'
import { Id, IdOfAny, PathId } from '../core/ids.ts'
import { OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'

export const DOCUMENT_TYPES = [
  'PASSPORT',
  'DRIVERS_LICENSE',
  'NATIONAL_ID',
  'PROOF_OF_ADDRESS',
  'BANK_STATEMENT',
  'TAX_RETURN',
  'CERTIFICATE_OF_INCORPORATION',
  'ARTICLES_OF_INCORPORATION',
  'ARTICLES_OF_ASSOCIATION',
  'STATE_REGISTRY_EXCERPT',
  'GOOD_STANDING_CERTIFICATE',
  'INFORMATION_STATEMENT',
  'INCUMBENCY_CERTIFICATE',
  'BUSINESS_LICENSE',
  'SHAREHOLDER_REGISTER',
  'POWER_OF_ATTORNEY',
  'UTILITY_BILL',
  'ELECTRICITY_BILL',
  'RENT_OR_LEASE_AGREEMENT',
  'DIRECTOR_REGISTRY',
  'TRUST_AGREEMENT',
  'STATE_COMPANY_REGISTRY',
  'PARTNERSHIP_CONTROL_AGREEMENT',
  'PARTNERSHIP_AGREEMENT',
  'SELFIE',
  'OTHER',
] as const

export type DocumentTypeName = (typeof DOCUMENT_TYPES)[number]

export const DOCUMENT_SIDES = ['FRONT', 'BACK'] as const

/** Maximum size of a document's file. */
export const DOCUMENT_BYTES_MAX = 10 * MIB

/** Quality problems that the check of a file can find. */
export const DOCUMENT_QUALITY_CODES = [
  'LOW_QUALITY',
  'DATA_MISMATCH',
  'EXPIRED',
  'SUSPECTED_FRAUD',
  'UNSUITABLE_DOCUMENT',
  'INCOMPLETE',
] as const satisfies readonly ErrorCode[]

export const DocumentType = OneOfWords(DOCUMENT_TYPES, 'The type of document')
const DocumentSide = OneOfWords(DOCUMENT_SIDES, 'The side of a card that is shown in the file')
const DocumentHolder = IdOfAny(['Customer', 'BeneficialOwner'], 'The holder of the document')

/** A document of a customer or beneficial owner, without the file itself. */
export const CustomerDocument = Type.Object({
  id: Id('Document'),
  documentHolder: DocumentHolder,
  documentType: DocumentType,
  side: Type.Optional(DocumentSide),
  country: CountryCode,
  documentNumber: Type.Optional(
    Secret(Type.String({ description: 'Its last characters; all others are masked with *' })),
  ),
  issuingAuthority: Type.Optional(Type.String()),
  issuedOn: Type.Optional(CalendarDate),
  fileName: Type.String(),
  createdAt: Timestamp(),
  updatedAt: Type.Optional(Timestamp()),
})

const fields = {
  documentType: DocumentType,
  side: Type.Optional(DocumentSide),
  country: CountryCode,
  documentNumber: Type.Optional(Secret(Text(100, { description: 'Stored sealed' }))),
  issuingAuthority: Type.Optional(Text(255)),
  issuedOn: Type.Optional(
    Type.String({
      format: 'date',
      description:
        'YYYY-MM-DD. The age of a proof of address counts from this day, otherwise from its upload',
    }),
  ),
}

const documentPath = Type.Object({ documentId: PathId })

const FILE_NOTE =
  'The file must be a PDF, JPEG or PNG by its content, regardless of its name. It is stored sealed, and the API never returns its content.'

export const document_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/documents',
  tag: 'Documents',
  summary: 'Upload a document',
  description: `Stores a file as evidence for the verification of a customer or an owner. ${FILE_NOTE}`,
  idempotent: true,
  upload: { bytesMax: DOCUMENT_BYTES_MAX },
  body: Type.Object({ documentHolder: DocumentHolder, ...fields }),
  responses: { 201: CustomerDocument },
  errors: [
    'INVALID_INPUT',
    ...DOCUMENT_QUALITY_CODES,
    'USER_NOT_FOUND',
    'BENEFICIAL_OWNER_NOT_FOUND',
    'CUSTOMER_DELETED',
  ],
})

export const document_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/documents',
  tag: 'Documents',
  summary: 'List documents',
  description: 'Lists documents by holder, newest first, without the files.',
  query: Type.Object({ documentHolder: Type.Optional(DocumentHolder), ...pageQuery }),
  responses: { 200: Page(CustomerDocument) },
  errors: ['INVALID_INPUT'],
})

export const document_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/documents/{documentId}',
  tag: 'Documents',
  summary: 'Read a document',
  description:
    'Shows the details of a document. To read the file, create a link with POST ' +
    '/documents/{documentId}/link.',
  params: documentPath,
  responses: { 200: CustomerDocument },
  errors: ['DOCUMENT_NOT_FOUND'],
})

export const document_replace = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'PUT',
  path: '/documents/{documentId}',
  tag: 'Documents',
  summary: 'Replace a document',
  description:
    'Replaces the file and all its details, but not its holder. Returns 409 once a verification was ' +
    `submitted with it. ${FILE_NOTE}`,
  params: documentPath,
  upload: { bytesMax: DOCUMENT_BYTES_MAX },
  body: Type.Object(fields),
  responses: { 200: CustomerDocument },
  errors: ['INVALID_INPUT', ...DOCUMENT_QUALITY_CODES, 'DOCUMENT_NOT_FOUND', 'DOCUMENT_SUBMITTED'],
})

export const document_delete = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'DELETE',
  path: '/documents/{documentId}',
  tag: 'Documents',
  summary: 'Delete a document',
  description:
    'Deletes a document and its file. Returns 409 once a verification was submitted with it: the ' +
    'document is then kept.',
  params: documentPath,
  responses: { 204: null },
  errors: ['DOCUMENT_NOT_FOUND', 'DOCUMENT_SUBMITTED'],
})

export const document_link = endpoint({
  auth: 'platform',
  permission: 'REVIEW',
  orPermission: 'MANAGE',
  method: 'POST',
  path: '/documents/{documentId}/link',
  tag: 'Documents',
  summary: "Create a link to a document's file",
  description:
    'Creates a URL at which a reviewer can open the file in a browser. Anyone with the link can read the ' +
    'file, without credentials, for 10 minutes. Its creation and every use are recorded.',
  params: documentPath,
  responses: { 201: Type.Object({ url: Secret(Type.String({ format: 'uri' })), expiresAt: Timestamp() }) },
  errors: ['DOCUMENT_NOT_FOUND'],
})

export const documents = {
  document_create,
  document_list,
  document_get,
  document_replace,
  document_delete,
  document_link,
} as const satisfies Record<string, Endpoint>
