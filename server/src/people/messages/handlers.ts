import type { inbox } from '@countersign/contract/sandbox/inbox'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { canGrant } from '../../kernel/operation/permissions.ts'
import type { MessageRow } from '../../storage/rows/sign-in.ts'
import { toMessageView } from './messages.ts'
import { selectCodeMembers, selectMessages } from './store.ts'

export const inboxHandlers: Handlers<typeof inbox> = {
  sandbox_inbox_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectMessages(op, query),
      table: 'messages',
      view: async (rows) => {
        const hidden = await findHiddenCodes(op, rows)
        return rows.map((row) =>
          toMessageView(op, hidden.has(row.id) ? { ...row, sealed_content: null } : row),
        )
      },
    }),
  }),
}

/**
 * Finds the codes of members whose permissions exceed the caller's, because a code signs its reader in.
 */
async function findHiddenCodes(op: Op, rows: readonly MessageRow[]): Promise<ReadonlySet<string>> {
  const codes = rows.flatMap(({ member_code_id }) => member_code_id ?? [])
  const members = await selectCodeMembers(op, codes)
  const hidden = members.filter(({ permissions }) => !canGrant(op, permissions)).map(({ code }) => code)
  return new Set(
    rows.filter(({ member_code_id }) => hidden.includes(member_code_id ?? '')).map(({ id }) => id),
  )
}
