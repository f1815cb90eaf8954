/** The page of a record, by the kind that the search and the audit trail give. */
export function pageOf(type: string, id: string): string {
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

/** The lists of records by the kind that their ids begin with. */
const LISTS_OF_KINDS: Readonly<Record<string, string>> = {
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

/** The page of a record by its id; undefined if records of its kind have no page. */
export function pageOfId(id: string): string | undefined {
  const [kind = ''] = id.split(':', 1)
  const list = LISTS_OF_KINDS[kind]
  return list === undefined ? undefined : `${list}/${id}`
}
