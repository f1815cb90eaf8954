import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { NOUNS, nounCall } from '@countersign/contract/nouns'
import { markdownTable } from './markdown-table.ts'

/** Every call as the sdk offers it, by noun. */
export function nounTable(): string {
  const rows = (Object.entries(API) as [EndpointName, Endpoint][]).map(([name, endpoint]) => ({
    name,
    endpoint,
    verb: NOUNS[name],
  }))
  const nounOf = (verb: string) => verb.slice(0, verb.indexOf('.'))
  const nouns = [...new Set(rows.map(({ verb }) => nounOf(verb)))]
  return markdownTable(
    ['`countersign.`', '', 'call'],
    nouns.flatMap((noun) =>
      rows
        .filter(({ verb }) => nounOf(verb) === noun)
        .map(({ name, endpoint }) => [`\`${nounCall(name, endpoint)}\``, endpoint.summary, `\`${name}\``]),
    ),
  )
}
