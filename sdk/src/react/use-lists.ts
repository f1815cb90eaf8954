import { useState } from 'react'
import type { Answer } from '../client/calls.ts'
import { useCountersign } from './context.ts'
import { type Resource, useResource } from './use-resource.ts'

export type Account = Answer<'customer_internal_account_list'>['body']['data'][number]
export type TransactionRecord = Answer<'transaction_list'>['body']['data'][number]
export type CardRecord = Answer<'card_get'>['body']

/** A paginated list that grows as more pages are loaded. */
export interface PagedResource<T> extends Resource<readonly T[]> {
  readonly hasMore: boolean
  readonly showMore: () => void
}

const PAGE_RECORDS = 10
const LIST_RECORDS_MAX = 100

/** Returns the customer's accounts, the wallet first. */
export function useBalances(): Resource<readonly Account[]> {
  const { client, customerId, accountId } = useCountersign()
  return useResource(`accounts ${customerId}`, async (signal) => {
    const query = { customerId, limit: LIST_RECORDS_MAX }
    const { data } = (await client.call('customer_internal_account_list', { query, signal })).body
    return [...data].sort((a, b) => Number(b.id === accountId) - Number(a.id === accountId))
  })
}

/** Returns the customer's transactions, newest first. */
export function useTransactions(pageRecords = PAGE_RECORDS): PagedResource<TransactionRecord> {
  const { client, customerId } = useCountersign()
  const [pages, setPages] = useState(1)
  const resource = useResource(`transactions ${customerId} ${pages}`, async (signal) => {
    const records: TransactionRecord[] = []
    let cursor: string | undefined
    for (let page = 0; page < pages; page++) {
      const query = { customerId, limit: pageRecords, ...(cursor === undefined ? {} : { cursor }) }
      const { body } = await client.call('transaction_list', { query, signal })
      records.push(...body.data)
      cursor = body.nextCursor
      if (cursor === undefined) break
    }
    return { records, hasMore: cursor !== undefined }
  })
  const { data, ...rest } = resource
  const [previous, setPrevious] = useState<typeof data>()
  if (data && data !== previous) setPrevious(data)
  // Keep showing the loaded pages while the next one is fetched.
  const shown = data ?? previous
  return {
    ...rest,
    data: shown?.records,
    hasMore: shown?.hasMore ?? false,
    isLoading: rest.isLoading && !shown,
    showMore: () => setPages((count) => count + 1),
  }
}

/** Returns the customer's cards, newest first, or only the card with this id. */
export function useCards(cardId?: string): Resource<readonly CardRecord[]> {
  const { client, customerId } = useCountersign()
  return useResource(`cards ${customerId} ${cardId ?? ''}`, async (signal) => {
    if (cardId !== undefined)
      return [(await client.call('card_get', { params: { id: cardId }, signal })).body]
    const query = { cardholderId: customerId, limit: LIST_RECORDS_MAX }
    return (await client.call('card_list', { query, signal })).body.data
  })
}
