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
      'The platformCustomerId of the row, or row_17 without one: the header is row_1, empty lines do not count',
  }),
  code: Type.String({ description: 'The code with which POST /customers would have refused it' }),
  message: Type.String(),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Names row and field' })),
})

/** The progress of an import. */
export const BulkCustomerImportJob = Type.Object({
  id: Id('CustomerImport'),
  status: ImportStatus,
  progress: Type.Object({
    total: Type.Integer({ minimum: 0, description: 'The number of rows in the file; 0 until it was read' }),
    processed: Type.Integer({ minimum: 0 }),
    successful: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
  }),
  errors: Type.Optional(
    Type.Array(BulkCustomerImportErrorEntry, {
      description: `In the order of the file, the first ${IMPORT_ERRORS_MAX}. Absent without errors, and in events`,
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
  summary: 'Create the customers of a CSV file',
  description:
    'Accepts a file and creates a customer for each of its rows, after the response. UTF-8, separated by ' +
    'commas, with a header row that names the columns: the fields of POST /customers, like ' +
    'address.line1. Each row is an ordinary creation with its own events, and a refused row does not affect ' +
    'the others. Sending the same file again creates no customer twice: a platformCustomerId that exists is an ' +
    'error of its row.',
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
  summary: 'Read the progress of a file of customers',
  description:
    'Shows how many rows of a file are done, and each refused row with its reason. Poll until ' +
    'status is no longer PENDING or PROCESSING.',
  params: Type.Object({ jobId: PathId }),
  responses: { 200: BulkCustomerImportJob },
  errors: ['BULK_UPLOAD_JOB_NOT_FOUND'],
})

export const customerImports = { customer_import_create, customer_import_get }
