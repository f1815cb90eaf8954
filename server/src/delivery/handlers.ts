import type { sandbox_inbox_list } from '@countersign/contract/platform/inbox'
import type { Handler } from '../op/operation.ts'
import { page } from '../op/paging.ts'
import { messageView } from './messages.ts'
import { selectMessages } from './store.ts'

export const sandboxInboxList: Handler<typeof sandbox_inbox_list> = async (op, { query }) => ({
  status: 200,
  body: await page(op, query, {
    rows: selectMessages(op, query),
    table: 'messages',
    view: (rows) => rows.map((row) => messageView(op, row)),
  }),
})
