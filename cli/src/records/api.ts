import { readFile } from 'node:fs/promises'
import type { Credentials } from '../connection/credentials.ts'
import { Failure, NoResponse } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { getErrorSentence, isMissing } from '../terminal/thrown.ts'
import { formatPrettyJson } from './pretty.ts'

export interface RawOptions {
  readonly data?: string
  readonly idempotencyKey?: string
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const TIMEOUT_MS = 60_000

/**
 * `countersign api METHOD /path`: prints the response body unchanged, except that a terminal shows JSON
 * indented. Returns the exit code: 1 for an error response. Throws Failure if the request cannot be made or
 * gets no response.
 */
export async function callRaw(
  { baseUrl, tokenId, clientSecret }: Credentials,
  method: string,
  path: string,
  { data, idempotencyKey }: RawOptions,
): Promise<number> {
  const verb = method.toUpperCase()
  if (!METHODS.includes(verb))
    throw new Failure(`The method must be one of ${METHODS.join(', ')}, not "${method}".`)
  if (!path.startsWith('/'))
    throw new Failure(`The path must begin with a slash, like /customers, not "${path}".`)
  const body = data === undefined ? undefined : await readJson(data)
  const headers = new Headers({
    Authorization: `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`,
  })
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`
  const { ok, text } = await sendRequest(url, {
    method: verb,
    headers,
    ...(body === undefined ? {} : { body }),
  })
  const formatted = io().stdout.isTTY && isJson(text) ? formatPrettyJson(text) : text
  if (formatted !== '') io().stdout.write(formatted.endsWith('\n') ? formatted : `${formatted}\n`)
  return ok ? 0 : 1
}

async function sendRequest(url: string, init: RequestInit): Promise<{ ok: boolean; text: string }> {
  try {
    // Following a redirect would send the credentials elsewhere.
    const response = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { ok: response.ok, text: await response.text() }
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    throw new NoResponse(`No response from ${new URL(url).host}: ${getErrorSentence(cause)}`)
  }
}

/** Reads the JSON from --data, or from the file named after an @. It is sent unchanged. Throws Failure. */
async function readJson(data: string): Promise<string> {
  const text = data.startsWith('@') ? await readText(data.slice(1)) : data
  if (!isJson(text)) throw new Failure('--data must be JSON, or @ and the name of a JSON file.')
  return text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Failure(
      isMissing(error) ? `File ${file} not found.` : `Cannot read ${file}: ${getErrorSentence(error)}`,
    )
  }
}
