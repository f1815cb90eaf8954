import type { payoutBatches } from '@countersign/contract/payments/payout-batches'
import { PAYOUT_BATCH_TRANSITIONS } from '@countersign/contract/states/payout-states'
import { removeFile, storeFile } from '../../kernel/files/stored-files.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage, type Order } from '../../kernel/operation/paging.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { checkIsText } from '../../people/customers/imports/handlers.ts'
import { castVote } from '../../people/members/approval-votes.ts'
import { insert } from '../../storage/commit/writes.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { PayoutLineRow } from '../../storage/rows/payout.ts'
import { checkExecutable, checkFileIsNew, checkTransition } from './execute-batch.ts'
import {
  batchView,
  findBatch,
  newBatch,
  newLine,
  scheduleNextRun,
  toPayoutLineView,
} from './payout-batches.ts'
import { selectBatches, selectLines, selectSameFile } from './store.ts'

const BY_LINE: Order<PayoutLineRow> = {
  columns: ['line', 'id'],
  getPosition: (row) => [String(row.line), row.id],
  read: (line, id) => [Number(line), extractUuid(id)],
}

export const payoutBatchHandlers: Handlers<typeof payoutBatches> = {
  payout_batch_create: async (op, { body }) => {
    const batch = newBatch(op, { name: body.name, file: undefined, lines: body.lines.length })
    const lines = body.lines.map((line, index) => newLine(op, batch, index + 1, line))
    return {
      status: 201,
      body: batchView(batch),
      writes: [
        insert('payout_batches', batch),
        ...lines.map((line) => insert('payout_lines', line)),
        scheduleNextRun(op, batch),
      ],
    }
  },

  payout_file_create: async (op, { body, file }) => {
    checkIsText(file)
    const draft = newBatch(op, { name: body.name, file, lines: 0 })
    const batch = { ...draft, same_file_id: await selectSameFile(op, draft, { orMay: true }) }
    return {
      status: 201,
      body: batchView(batch),
      writes: [storeFile(op, file), insert('payout_batches', batch), scheduleNextRun(op, batch)],
    }
  },

  payout_batch_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectBatches(op, query),
      table: 'payout_batches',
      view: (rows) => rows.map(batchView),
    }),
  }),

  payout_batch_get: async (op, { params }) => ({
    status: 200,
    body: batchView(await findBatch(op, params.payoutBatchId)),
  }),

  payout_line_list: async (op, { params, query }) => {
    const { id } = await findBatch(op, params.payoutBatchId)
    const list = {
      rows: selectLines(op, id, query),
      table: 'payout_lines',
      by: BY_LINE,
      order: 'asc',
      view: (rows: PayoutLineRow[]) => rows.map(toPayoutLineView),
    } as const
    // The cursor is valid only for this batch.
    return { status: 200, body: await listPage(op, { ...query, batch: id }, list) }
  },

  payout_batch_execute: async (op, { params, body }) => {
    const batch = await findBatch(op, params.payoutBatchId)
    await checkExecutable(op, batch, body)
    const guards = await checkFileIsNew(op, batch, body)
    const vote = await castVote(op, batch.id)
    const batchEvent = vote.decides ? 'execute' : 'propose'
    const after = transition(op, 'payout_batches', PAYOUT_BATCH_TRANSITIONS, batch, batchEvent)
    return {
      status: 200,
      body: batchView(after.row),
      writes: [...vote.writes, ...guards, after.write, ...(vote.decides ? [scheduleNextRun(op, batch)] : [])],
    }
  },

  payout_batch_cancel: async (op, { params }) => {
    const batch = await findBatch(op, params.payoutBatchId)
    checkTransition(batch, 'cancel')
    const change = { completed_at: op.now }
    const guard = { next_line: batch.next_line, checked: batch.checked }
    const after = transition(op, 'payout_batches', PAYOUT_BATCH_TRANSITIONS, batch, 'cancel', change, guard)
    const { file_id: fileId } = batch
    return {
      status: 200,
      body: batchView(after.row),
      writes: [after.write, ...(fileId === null ? [] : await removeFile(op, fileId))],
    }
  },
}
