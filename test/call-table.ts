import { API } from '@countersign/contract/api'
import { CUSTOMER_PERMISSIONS, type CustomerPermission } from '@countersign/contract/auth/customer-tokens'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { formatMarkdownTable } from './markdown-table.ts'

const CALLER: Readonly<Record<Endpoint['auth'], string>> = {
  platform: 'backend',
  member: 'member',
  agent: 'agent',
  deviceCode: 'anybody with the code',
  cardProcessor: 'card processor',
  verificationProvider: 'verification provider',
  rail: 'rail',
  public: 'anybody',
}

/** Every endpoint with its operation name, which is also its name in the sdk. */
export function formatCallTable(): string {
  return formatMarkdownTable(
    ['name', 'call', 'by', ''],
    Object.entries<Endpoint>(API).map(([name, endpoint]) => [
      `\`${name}\``,
      `\`${endpoint.method} ${endpoint.path}\``,
      listCallers(endpoint),
      listNotes(endpoint).join(', '),
    ]),
  )
}

/** The calls that a customer's token allows, by the permission that they require. */
export function formatCustomerCallTable(): string {
  const calls = (permission: CustomerPermission) =>
    Object.values<Endpoint>(API)
      .filter((endpoint) => isForCustomers(endpoint) && endpoint.permission === permission)
      .map(({ method, path }) => `\`${method} ${path}\``)
  return formatMarkdownTable(
    ['permission', 'calls'],
    CUSTOMER_PERMISSIONS.map((permission) => [`\`${permission}\``, calls(permission).join('<br>')]),
  )
}

function isForCustomers(endpoint: Endpoint): endpoint is Extract<Endpoint, { auth: 'platform' }> {
  return endpoint.auth === 'platform' && endpoint.customerToken === true
}

function listCallers(endpoint: Endpoint): string {
  return isForCustomers(endpoint) ? `${CALLER.platform}, customer` : CALLER[endpoint.auth]
}

function listNotes({ signed, idempotent, sandboxOnly }: Endpoint): string[] {
  return [
    ...(signed ? ['signed'] : []),
    ...(idempotent ? ['takes a key'] : []),
    ...(sandboxOnly ? ['sandbox only'] : []),
  ]
}
