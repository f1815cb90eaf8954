import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { nounCall, verbOf } from '@countersign/contract/nouns'
import { markdownTable } from './markdown-table.ts'

/** Every call as the sdk offers it, by noun. */
export function nounTable(): string {
  const rows = (Object.entries(API) as [EndpointName, Endpoint][]).map(([name, endpoint]) => ({
    name,
    endpoint,
    verb: verbOf(name),
  }))
  // A helper stands for itself.
  const nounOf = (verb: string) => verb.split('.', 1)[0]!
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
