import type { session_list } from '@countersign/contract/sessions'
import { findInternalAccount } from '../accounts/accounts.ts'
import type { Handler } from '../operation.ts'
import { sessionView } from './sessions.ts'
import { selectActiveSessions } from './store.ts'

export const sessionList: Handler<typeof session_list> = async (op, { query }) => {
  const account = await findInternalAccount(op, query.accountId)
  const sessions = await selectActiveSessions(op, account.id)
  return { status: 200, body: { data: sessions.map((session) => sessionView(session, session)) } }
}
