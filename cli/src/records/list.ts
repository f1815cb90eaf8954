import type { AnyCaller, ItemOf, PageOf } from '@countersign/sdk'
import { printResult, type Shell } from '../connection/shell.ts'
import { printRecords, type RecordList } from '../terminal/records.ts'
import { buildQuery, choosePageSize, getLimit } from './filters.ts'
import type { RecordNoun } from './nouns.ts'
import { describeRecord } from './words.ts'

export interface ListOptions {
  readonly limit?: number
  readonly all?: boolean
  readonly [filter: string]: unknown
}

type ListName = RecordNoun['list']

/** `countersign NOUN list` */
export async function listRecords<N extends ListName>(
  shell: Shell,
  noun: RecordNoun<N>,
  options: ListOptions,
): Promise<void> {
  const records = await fetchRecords(shell, noun, options)
  const none = `No ${noun.name} found.`
  printRecords(records, noun.columns, { isJson: shell.isJson, none })
}

/** `countersign NOUN get ID` */
export async function getRecord(shell: Shell, { get }: Pick<RecordNoun, 'get'>, id: string): Promise<void> {
  const record = await get(shell, id)
  printResult(shell, record, describeRecord(record))
}

/** Fetches pages until it has the requested number of records. */
async function fetchRecords<N extends ListName>(
  { countersign }: Shell,
  { list }: Pick<RecordNoun<N>, 'list'>,
  options: ListOptions,
): Promise<RecordList<ItemOf<N>>> {
  const caller: AnyCaller = countersign
  const filters = buildQuery(list, options)
  const limit = getLimit(options)
  const data: ItemOf<N>[] = []
  let cursor: string | undefined
  for (;;) {
    const query = { ...filters, limit: choosePageSize(limit - data.length), ...(cursor && { cursor }) }
    const { body } = await caller.call(list, { query })
    const page = body as PageOf<N>
    for (const record of page.data) data.push(record)
    cursor = page.hasMore ? page.nextCursor : undefined
    if (cursor === undefined || data.length >= limit) return { data, hasMore: page.hasMore }
  }
}
