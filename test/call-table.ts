import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { markdownTable } from './markdown-table.ts'

const CALLER: Readonly<Record<Endpoint['auth'], string>> = {
  platform: 'backend',
  agent: 'agent',
  deviceCode: 'anybody with the code',
  cardProcessor: 'card processor',
  verificationProvider: 'verification provider',
  rail: 'rail',
  public: 'anybody',
}

/** Every call of the API with its name, which is that of the sdk's call too. */
export function callTable(): string {
  return markdownTable(
    ['name', 'call', 'by', ''],
    Object.entries<Endpoint>(API).map(([name, endpoint]) => [
      `\`${name}\``,
      `\`${endpoint.method} ${endpoint.path}\``,
      callersOf(endpoint),
      notes(endpoint).join(', '),
    ]),
  )
}

function callersOf(endpoint: Endpoint): string {
  const isForCustomer = endpoint.auth === 'platform' && endpoint.customerToken
  return isForCustomer ? `${CALLER.platform}, customer` : CALLER[endpoint.auth]
}

function notes({ signed, idempotent, sandboxOnly }: Endpoint): string[] {
  return [
    ...(signed ? ['signed'] : []),
    ...(idempotent ? ['takes a key'] : []),
    ...(sandboxOnly ? ['sandbox only'] : []),
  ]
}
