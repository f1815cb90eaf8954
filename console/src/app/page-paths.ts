/** Returns the path of a record's page, by the kind used in the search and the audit trail. */
export function getPagePath(type: string, id: string): string {
  const list = LISTS[type]
  return list === undefined ? '/' : `${list}/${id}`
}

const LISTS: Readonly<Record<string, string>> = {
  CUSTOMER: '/customers',
  TRANSACTION: '/transactions',
  QUOTE: '/quotes',
  CARD: '/cards',
  AGENT: '/agents',
  EVENT: '/events',
  REQUEST: '/requests',
  INTERNAL_ACCOUNT: '/accounts',
  EXTERNAL_ACCOUNT: '/accounts',
  MANDATE: '/mandates',
}

/** List paths by the prefix of the record ids. */
const LISTS_BY_ID_PREFIX: Readonly<Record<string, string>> = {
  Customer: '/customers',
  Transaction: '/transactions',
  Quote: '/quotes',
  Card: '/cards',
  Agent: '/agents',
  Event: '/events',
  Mandate: '/mandates',
  Verification: '/verifications',
  AuditEvent: '/audit',
}

/** Returns the path of a record's page by its id. Undefined if records of this kind have no page. */
export function findPagePathById(id: string): string | undefined {
  const [kind = ''] = id.split(':', 1)
  const list = LISTS_BY_ID_PREFIX[kind]
  return list === undefined ? undefined : `${list}/${id}`
}
