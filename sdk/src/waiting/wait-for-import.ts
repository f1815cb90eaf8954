import type { Answer, Caller } from '../client/calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

export type CustomerImport = Answer<'customer_import_get'>['body']

export interface ImportWaitOptions extends WaitOptions {
  /** Called after each read with the progress of the import. */
  readonly onProgress?: (progress: CustomerImport['progress']) => void
}

const UNDER_WAY: ReadonlySet<string> = new Set(['PENDING', 'PROCESSING'])

/** The import did not end within the timeout. It continues. */
export class StillImportingError extends Error {
  override readonly name = 'StillImportingError'
  readonly customerImport: CustomerImport

  constructor(customerImport: CustomerImport, timeoutMs: number) {
    super(`${customerImport.id} is still ${customerImport.status} after ${timeoutMs} ms.`)
    this.customerImport = customerImport
  }
}

/**
 * Polls a customer import until it finishes. Rejects with StillImportingError on timeout.
 * - COMPLETED: every row was read, and `errors` has the refused ones.
 * - FAILED: the file could not be read, and `errors` has the reason.
 */
export async function waitForImport(
  caller: Caller,
  jobId: string,
  options: ImportWaitOptions = {},
): Promise<CustomerImport> {
  const { onProgress } = options
  const look = async (signal: AbortSignal | undefined) => {
    const input = { params: { jobId }, ...(signal && { signal }) }
    const { body } = await caller.call('customer_import_get', input)
    onProgress?.(body.progress)
    return body
  }
  const { isOver, last, timeoutMs } = await waitUntil(look, ({ status }) => !UNDER_WAY.has(status), options)
  if (!isOver) throw new StillImportingError(last, timeoutMs)
  return last
}
