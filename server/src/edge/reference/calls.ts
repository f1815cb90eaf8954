import type { Entry } from './api.ts'
import type { Parameter } from './api-document.ts'

/** A call as a curl command, with the recorded example. The credentials are shell variables. */
export function buildCurl(entry: Entry, parameters: readonly Parameter[], baseUrl: string): string {
  const { method, path, operation } = entry
  const query = parameters.flatMap(({ in: place, name, example }) =>
    place === 'query' && example !== undefined
      ? [example].flat().map((value) => `${name}=${encodeURIComponent(String(value))}`)
      : [],
  )
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const example = parameters.find(
      (parameter) => parameter.in === 'path' && parameter.name === name,
    )?.example
    return example === undefined ? whole : String(example)
  })
  const address = `${baseUrl}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${address}'`,
    buildCredentials(operation.security.map((scheme) => Object.keys(scheme)[0] ?? '')),
    ...buildHeaders(parameters),
    ...buildBody(entry),
  ]
  return parts.filter((part) => part !== '').join(' \\\n  ')
}

function buildCredentials(schemes: readonly string[]): string {
  if (schemes.includes('BasicAuth')) return '-u "$TOKEN_ID:$CLIENT_SECRET"'
  if (schemes.includes('CustomerBearer') || schemes.includes('AgentBearer'))
    return '-H "Authorization: Bearer $TOKEN"'
  return schemes.includes('MemberCookie') ? '-b "$COOKIE"' : ''
}

function buildHeaders(parameters: readonly Parameter[]): string[] {
  return parameters.flatMap(({ in: place, name, required, example }) =>
    place === 'header' && required ? [`-H '${name}: ${example ?? ''}'`] : [],
  )
}

function buildBody({ operation }: Entry): string[] {
  const { 'application/json': json, 'multipart/form-data': form } = operation.requestBody?.content ?? {}
  if (json?.example !== undefined)
    return [
      `-H 'Content-Type: application/json'`,
      `-d ${quoteForShell(JSON.stringify(json.example, null, 2))}`,
    ]
  return listFormFields(form?.example).map(([name, value]) =>
    name === 'file' ? `-F file=@document.pdf` : `-F ${quoteForShell(`${name}=${value}`)}`,
  )
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The form fields of an example. */
export function listFormFields(example: unknown): [string, string][] {
  return typeof example === 'object' && example !== null
    ? Object.entries(example).map(([name, value]) => [name, String(value)])
    : []
}
