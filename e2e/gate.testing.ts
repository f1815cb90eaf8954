import { API, type EndpointName } from '@countersign/contract/api'
import { ID_KINDS, type IdKind } from '@countersign/contract/core/ids'
import { type Countersign, parseJson } from '@countersign/sdk'

/**
 * The calls that a page may make, with the places of their ids. Everything else is refused. Each of these ids must be
 * present and the customer's own, and the call may contain no other id.
 */
export const ALLOWED: Partial<Record<EndpointName, Readonly<Record<string, IdKind>>>> = {
  customer_internal_account_list: { 'query.customerId': 'Customer' },
  credential_list: { 'query.accountId': 'InternalAccount' },
  credential_challenge: { 'params.id': 'AuthMethod' },
  credential_verify: { 'params.id': 'AuthMethod' },
  credential_create: { 'body.accountId': 'InternalAccount' },
  credential_delete: { 'params.id': 'AuthMethod' },
  session_list: { 'query.accountId': 'InternalAccount' },
  session_refresh: { 'params.id': 'Session' },
  session_delete: { 'params.id': 'Session' },
  internal_account_export: { 'params.id': 'InternalAccount' },
  quote_create: {
    'body.source.accountId': 'InternalAccount',
    'body.destination.accountId': 'ExternalAccount',
  },
  quote_execute: { 'params.quoteId': 'Quote' },
  transaction_get: { 'params.transactionId': 'Transaction' },
}

/** Finds out whether an id is the customer's own. Of the internal accounts, a page may use only the wallets. */
function owners(
  countersign: Countersign,
  customerId: string,
): Partial<Record<IdKind, (id: string) => Promise<boolean>>> {
  const wallets = async () => {
    const query = { customerId, type: 'EMBEDDED_WALLET' } as const
    return (await countersign.call('customer_internal_account_list', { query })).body.data.map(({ id }) => id)
  }
  const isOfWallet = async (id: string, list: 'credential_list' | 'session_list') => {
    for (const accountId of await wallets()) {
      const { body } = await countersign.call(list, { query: { accountId } })
      if (body.data.some((record) => record.id === id)) return true
    }
    return false
  }
  return {
    Customer: async (id) => id === customerId,
    InternalAccount: async (id) => (await wallets()).includes(id),
    AuthMethod: (id) => isOfWallet(id, 'credential_list'),
    Session: (id) => isOfWallet(id, 'session_list'),
    async ExternalAccount(externalAccountId) {
      const params = { externalAccountId }
      const { body } = await countersign.call('customer_external_account_get', { params })
      return body.customerId === customerId
    },
    async Quote(quoteId) {
      const { source } = (await countersign.call('quote_get', { params: { quoteId } })).body
      return source.sourceType === 'ACCOUNT' && (await wallets()).includes(source.accountId)
    },
    async Transaction(transactionId) {
      const { body } = await countersign.call('transaction_get', { params: { transactionId } })
      return body.customerId === customerId
    },
  }
}

/** A call that may be forwarded: built from the checked values, so that nothing can be read in two ways. */
export interface PageCall {
  readonly name: EndpointName
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

/** The call that a page makes; undefined where the page may not make it. */
export function readCall(method: string, url: URL, text: string): PageCall | undefined {
  const names = Object.keys(ALLOWED) as EndpointName[]
  for (const name of names) {
    const params = API[name].method === method ? paramsOf(API[name].path, url.pathname) : undefined
    if (!params) continue
    const query = Object.fromEntries(url.searchParams)
    const body = text === '' ? undefined : parseJson(text)
    const path = API[name].path.replaceAll(/\{(\w+)\}/g, (_, param: string) =>
      encodeURIComponent(params[param]!),
    )
    return { name, path, params, query, body }
  }
  return undefined
}

/** Whether every id in a call is in an allowed place and the customer's own. */
export async function isOwn(countersign: Countersign, customerId: string, call: PageCall): Promise<boolean> {
  const places = ALLOWED[call.name] ?? {}
  const found = new Map(textsOf(call))
  const owns = owners(countersign, customerId)
  for (const [place, text] of found) if (isId(text) && !Object.hasOwn(places, place)) return false
  for (const [place, kind] of Object.entries(places)) {
    const id = found.get(place)
    if (id === undefined || !id.startsWith(`${kind}:`)) return false
    // A missing record is not the customer's own either.
    if (!(await owns[kind]?.(id).catch(() => false))) return false
  }
  return true
}

const ID = new RegExp(`^(?:${Object.keys(ID_KINDS).join('|')}):`, 'i')
const isId = (text: string) => ID.test(text.trim())

/** Every text in a call by its path: `['body.source.accountId', 'InternalAccount:…']`. */
function textsOf({ params, query, body }: PageCall): [place: string, text: string][] {
  const walk = (value: unknown, place: string): [string, string][] => {
    if (typeof value === 'string') return [[place, value]]
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([name, member]) => walk(member, `${place}.${name}`))
  }
  return [...walk(params, 'params'), ...walk(query, 'query'), ...walk(body, 'body')]
}

function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const match = new RegExp(`^${pattern.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(path)
  if (!match) return undefined
  try {
    return Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]),
    )
  } catch {
    return undefined
  }
}
