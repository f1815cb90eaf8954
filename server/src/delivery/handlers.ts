import type { inbox } from '@countersign/contract/sandbox/inbox'
import type { Handlers } from '../op/operation.ts'
import { page } from '../op/paging.ts'
import { messageView } from './messages.ts'
import { selectMessages } from './store.ts'

export const inboxHandlers: Handlers<typeof inbox> = {
  sandbox_inbox_list: async (op, { query }) => ({
    status: 200,
    body: await page(op, query, {
      rows: selectMessages(op, query),
      table: 'messages',
      view: (rows) => rows.map((row) => messageView(op, row)),
    }),
  }),
}
