import { API_VERSION } from '@countersign/contract/core/api-version'

type Query = Readonly<Record<string, string | number | bigint | boolean | readonly string[] | undefined>>

/** The address of a list's CSV file: all its rows, made by the server. `path` is the list's path. */
export function csvAddress(path: string, query: Query = {}): string {
  return addressOf(`${path}.csv`, query)
}

/** The address of a response that the browser opens or saves without the client, with the cookie of the member's session. */
export function addressOf(path: string, query: Query): string {
  const parameters = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return []
    const values = typeof value === 'object' ? value : [value]
    return values.map((one) => [name, String(one)])
  })
  const search = new URLSearchParams(parameters).toString()
  return `/${API_VERSION}${path}${search && `?${search}`}`
}
