import type { ledgerCheckpoints } from '@countersign/contract/books/checkpoints'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { toCheckpointView } from './checkpoints.ts'
import { selectCheckpoints } from './store.ts'

export const ledgerCheckpointHandlers: Handlers<typeof ledgerCheckpoints> = {
  ledger_checkpoint_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectCheckpoints(op),
      table: 'ledger_checkpoints',
      view: (rows) => rows.map(toCheckpointView),
    }),
  }),
}
