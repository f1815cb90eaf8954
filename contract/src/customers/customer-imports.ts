import { Type } from 'typebox'
import { endpoint, MIB } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Timestamp } from '../core/schema.ts'
import { IMPORT_STATES } from '../states/customer-states.ts'

/** Maximum number of row errors stored per file. `progress.failed` counts all of them. */
export const IMPORT_ERRORS_MAX = 1000

const ImportStatus = OneOfWords(IMPORT_STATES)

/** A row from which no customer was created, or an error that affects the whole file. */
export const BulkCustomerImportErrorEntry = Type.Object({
  correlationId: Type.String({
    description:
      "The row's platformCustomerId, or row_17 without one. The header is row_1, and empty lines do not count",
  }),
  code: Type.String({ description: 'The error code that POST /customers would have returned' }),
  message: Type.String(),
  details: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'The row and the field' }),
  ),
})

/** The progress of an import. */
export const BulkCustomerImportJob = Type.Object({
  id: Id('CustomerImport'),
  status: ImportStatus,
  progress: Type.Object({
    total: Type.Integer({
      minimum: 0,
      description: 'The number of rows in the file; 0 until it has been read',
    }),
    processed: Type.Integer({ minimum: 0 }),
    successful: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
  }),
  errors: Type.Optional(
    Type.Array(BulkCustomerImportErrorEntry, {
      description: `The first ${IMPORT_ERRORS_MAX}, in the order of the file. Absent if there are no errors, and in events`,
    }),
  ),
  completedAt: Type.Optional(Timestamp('The time at which it ended, in success or failure')),
})

export const BulkCustomerImportJobAccepted = Type.Object({
  jobId: Id('CustomerImport'),
  status: OneOfWords(['PENDING', 'PROCESSING']),
})

/** Uploads a customer file. A background job creates a customer for each row. */
export const customer_import_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/customers/bulk/csv',
  tag: 'Customers',
  summary: 'Create customers from a CSV file',
  description:
    'Accepts a file and, after the response, creates a customer for each row. The file is UTF-8, ' +
    'separated by commas, with a header row that names the columns: the fields of POST /customers, like ' +
    'address.line1. Each row is an ordinary creation with its own events, and a rejected row does not ' +
    'affect the others. Sending the same file again creates no customer twice: an existing ' +
    'platformCustomerId is an error in its row.',
  idempotent: true,
  upload: { bytesMax: 100 * MIB },
  responses: { 202: BulkCustomerImportJobAccepted },
  errors: ['INVALID_INPUT'],
})

export const customer_import_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/customers/bulk/jobs/{jobId}',
  tag: 'Customers',
  summary: 'Read the progress of a customer import',
  description:
    'Shows how many rows of the file are done, and each rejected row with the reason. Poll until status ' +
    'is no longer PENDING or PROCESSING.',
  params: Type.Object({ jobId: PathId }),
  responses: { 200: BulkCustomerImportJob },
  errors: ['BULK_UPLOAD_JOB_NOT_FOUND'],
})

export const customerImports = { customer_import_create, customer_import_get }
