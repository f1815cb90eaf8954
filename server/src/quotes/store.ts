import { rowByKey } from '../db/read/lookup.ts'
import type { QuoteRow, SigningRequestRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'

const BY_ID = rowByKey<QuoteRow>('SELECT * FROM quotes WHERE id = ANY ($1::uuid[])', 'id')
const PAYLOAD_BY_ID = rowByKey<Pick<SigningRequestRow, 'id' | 'platform_id' | 'payload'>>(
  'SELECT id, platform_id, payload FROM signing_requests WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectQuote(op: Op, id: string): Promise<QuoteRow | undefined> {
  return op.find(BY_ID, id)
}

/** The exact text that the wallet signs to execute a quote. */
export async function selectPayload(op: Op, signingRequestId: string): Promise<string> {
  const row = await op.find(PAYLOAD_BY_ID, signingRequestId)
  if (!row) throw new Error(`There is no request ${signingRequestId}`)
  return row.payload
}
