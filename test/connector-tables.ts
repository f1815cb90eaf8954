import { CONNECTOR_CALLS, type ConnectorCall } from '@countersign/contract/connectors/calls'
import { formatMarkdownTable } from './markdown-table.ts'

/** The calls that Countersign makes to a connector. */
export function formatConnectorCallTable(): string {
  return formatMarkdownTable(
    ['call', 'does', '404'],
    Object.values<ConnectorCall>(CONNECTOR_CALLS).map(({ method, path, query, summary, notFound }) => [
      `\`${method} ${path}${query ? `?${Object.keys(query).map((name) => `${name}=…`)}` : ''}\``,
      summary,
      notFound ? `\`${notFound.code}\`: ${notFound.means}` : '',
    ]),
  )
}
