import type { Op } from '../../kernel/operation/app.ts'
import type { Read } from '../../storage/read/read.ts'
import type { CodeFailuresRow } from '../../storage/rows/sign-in.ts'
import type { CredentialRow } from '../../storage/rows/tables.ts'

function selectLive(op: Op) {
  return op.read
    .selectFrom('credentials')
    .where('platform_id', '=', op.platform.id)
    .where('revoked_at', 'is', null)
}

export async function selectCredential(op: Op, id: string): Promise<CredentialRow | undefined> {
  return selectLive(op).selectAll().where('id', '=', id).executeTakeFirst()
}

export async function selectCredentials(op: Op, accountId: string): Promise<CredentialRow[]> {
  return selectLive(op)
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function selectCodeFailures(op: Op, accountId: string): Promise<CodeFailuresRow | undefined> {
  return op.read
    .selectFrom('code_failures')
    .selectAll()
    .where('id', '=', accountId)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
}

/** The platform of a wallet with counted wrong codes; undefined if none are counted. */
export async function selectFailuresPlatform(read: Read, accountId: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('code_failures')
    .select('platform_id')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.platform_id
}
