import type { Op } from '../app.ts'
import type { QuoteRow } from '../db/tables.ts'

export async function selectQuote(op: Op, id: string): Promise<QuoteRow | undefined> {
  return op.read
    .selectFrom('quotes')
    .selectAll()
    .where('id', '=', id)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
}

/** The exact text that the wallet signs to execute a quote. */
export async function selectPayload(op: Op, signingRequestId: string): Promise<string> {
  const row = await op.read
    .selectFrom('signing_requests')
    .select('payload')
    .where('id', '=', signingRequestId)
    .executeTakeFirstOrThrow()
  return row.payload
}
