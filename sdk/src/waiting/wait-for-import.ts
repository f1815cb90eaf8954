import type { Answer, Caller } from '../client/calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

export type CustomerImport = Answer<'customer_import_get'>['body']

export interface ImportWaitOptions extends WaitOptions {
  /** Called with the progress after each poll. */
  readonly onProgress?: (progress: CustomerImport['progress']) => void
}

const IN_PROGRESS: ReadonlySet<string> = new Set(['PENDING', 'PROCESSING'])

/** The import has not finished within the timeout. It continues on the server. */
export class StillImportingError extends Error {
  override readonly name = 'StillImportingError'
  readonly customerImport: CustomerImport

  constructor(customerImport: CustomerImport, timeoutMs: number) {
    super(`${customerImport.id} is still ${customerImport.status} after ${timeoutMs} ms.`)
    this.customerImport = customerImport
  }
}

/**
 * Polls a customer import until it finishes; rejects with StillImportingError on timeout.
 * - COMPLETED: every row was read. `errors` contains the rejected rows.
 * - FAILED: the file could not be read. `errors` contains the reason.
 */
export async function waitForImport(
  caller: Caller,
  jobId: string,
  options: ImportWaitOptions = {},
): Promise<CustomerImport> {
  const { onProgress } = options
  const fetchImport = async (signal: AbortSignal | undefined) => {
    const input = { params: { jobId }, ...(signal && { signal }) }
    const { body } = await caller.call('customer_import_get', input)
    onProgress?.(body.progress)
    return body
  }
  const { isFinished, last, timeoutMs } = await waitUntil(
    fetchImport,
    ({ status }) => !IN_PROGRESS.has(status),
    options,
  )
  if (!isFinished) throw new StillImportingError(last, timeoutMs)
  return last
}
