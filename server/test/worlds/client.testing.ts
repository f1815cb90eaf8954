import { createHash } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { API, type EndpointName } from '@countersign/contract/api'
import { isObject } from '@countersign/contract/core/decode'
import type { BodyOf, Endpoint, ParamsOf, QueryOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { createBase58check } from '@scure/base'
import { inject } from 'vitest'
import { timeLimit } from '../../../test/machine-speed.ts'
import { open, seal } from '../../src/base/crypto/hpke.ts'
import { generateKeyPair, type KeyPair, parsePublicKey, toKeyPair } from '../../src/base/crypto/p256.ts'
import { makeStamp } from '../../src/base/crypto/stamp.ts'
import { parseJson, toJson } from '../../src/base/json/json.ts'

/** A response received over HTTP. Integers beyond 2^53 are bigints. Text that is not JSON stays a string. */
export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads responses of every form
  readonly body: any
  readonly headers: Headers
}

export interface Credentials {
  readonly platformId: string
  readonly tokenId: string
  readonly clientSecret: string
}

type Contract = typeof API
type ResponseBody<Name extends EndpointName> = SuccessOf<Contract[Name]>['body']

interface CallInput<Name extends EndpointName> {
  readonly params?: ParamsOf<Contract[Name]>
  readonly query?: QueryOf<Contract[Name]>
  readonly body?: BodyOf<Contract[Name]>
}

/** Calls the API over plain HTTP, for tests of the wire format. */
export class Client {
  readonly credentials: Credentials
  readonly baseUrl: string

  constructor(credentials: Credentials, baseUrl: string) {
    this.credentials = credentials
    this.baseUrl = baseUrl
  }

  get authorization(): string {
    const { tokenId, clientSecret } = this.credentials
    return `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
  }

  /**
   * Sends `body` as JSON, or unchanged if it is a string. If the endpoint takes a file, sends a form with the
   * body's fields and a file.
   */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const form = body === undefined || !acceptsUpload(method, path) ? undefined : buildForm(path, body)
    const allHeaders = { Authorization: this.authorization, ...headers }
    if (form) return toReply(await sendForm(this.baseUrl + path, method, allHeaders, form))
    return sendJson(this.baseUrl + path, method, allHeaders, body)
  }

  get = (path: string) => this.send('GET', path)
  post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.send('POST', path, body, headers)

  /** Calls an endpoint by name, with the contract's types. Throws unless the call succeeds. */
  async call<Name extends EndpointName>(
    name: Name,
    input: CallInput<Name> = {},
  ): Promise<ResponseBody<Name>> {
    const { method, path }: Endpoint = API[name]
    const params: Readonly<Record<string, unknown>> = { ...input.params }
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(input.query ?? {}))
      for (const item of [value].flat()) query.append(key, String(item))
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, param) => encodeURIComponent(String(params[param])))
    const reply = await this.send(method, query.size > 0 ? `${filled}?${query}` : filled, input.body)
    if (reply.status >= 300) throw new Error(`${name}: ${reply.status} ${toJson(reply.body)}`)
    return reply.body
  }

  /**
   * Returns the events of an object, or all events, so far. The feed stops before any transaction that is still open
   * in the database, so this waits until a new event appears.
   */
  async events(query = ''): Promise<Reply['body'][]> {
    const marker = await this.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Marker' })
    if (marker.status !== 201) throw new Error(toJson(marker.body))
    for (let tries = 0; tries < 1000; tries++) {
      const { data } = (await this.get(`/events?objectId=${marker.body.id}`)).body
      if (data.length > 0) return (await this.get(`/events?limit=100${query}`)).body.data
    }
    throw new Error('The feed does not reach the event')
  }

  /** Moves this platform's clock and runs the jobs that become due. 0 runs jobs that are due now. */
  async advance(seconds: number): Promise<void> {
    const reply = await this.post('/sandbox/clock/advance', { seconds })
    if (reply.status !== 200) throw new Error(toJson(reply.body))
  }
}

/** Sends `body` as JSON, or unchanged if it is a string. */
export async function sendJson(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Reply> {
  if (body === undefined) return toReply(await exchange(url, method, headers))
  const text = typeof body === 'string' ? body : toJson(body)
  return toReply(await exchange(url, method, { 'Content-Type': 'application/json', ...headers }, text))
}

async function sendForm(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: FormData,
): Promise<RawResponse> {
  const response = await fetch(url, { method, headers, body })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function toReply({ status, headers, text }: RawResponse): Reply {
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return { status, body: text === '' ? undefined : isJson ? parseJson(text) : text, headers }
}

/** Creates a platform for one test. */
export async function newPlatform(): Promise<Client> {
  const { status, text } = await exchange(inject('platformMaker'), 'POST', {})
  if (status !== 200) throw new Error(text)
  return new Client(JSON.parse(text) as Credentials, inject('baseUrl'))
}

let customers = 0

/** Creates an approved customer with an e-mail address, and its accounts. */
export async function newCustomer(client: Client, more: Record<string, unknown> = {}) {
  const email = `customer${++customers}@example.com`
  const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email, ...more }
  const created = await client.post('/customers', body)
  if (created.status !== 201) throw new Error(toJson(created.body))
  const accounts = (await client.get(`/customers/internal-accounts?customerId=${created.body.id}`)).body.data
  const find = (type: string, currency: string): string =>
    accounts.find((a: Reply['body']) => a.type === type && a.balance.currency.code === currency)?.id
  return {
    id: created.body.id as string,
    email,
    wallet: find('EMBEDDED_WALLET', 'USDB'),
    usd: find('INTERNAL_FIAT', 'USD'),
    eur: find('INTERNAL_FIAT', 'EUR'),
  }
}

/** Creates a customer's USD bank account. `suffix` controls the sandbox. */
export async function newBankAccount(client: Client, customerId: string, suffix = '789'): Promise<string> {
  const reply = await client.post('/customers/external-accounts', {
    customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `123456${suffix}`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  })
  if (reply.status !== 201) throw new Error(toJson(reply.body))
  return reply.body.id
}

export async function fund(client: Client, accountId: string, amount: bigint | number): Promise<void> {
  const reply = await client.post(`/sandbox/internal-accounts/${accountId}/fund`, { amount })
  if (reply.status !== 200) throw new Error(toJson(reply.body))
}

/** Finds the id of a wallet's e-mail credential. */
export async function findCredentialId(client: Client, wallet: string): Promise<string> {
  return (await client.get(`/auth/credentials?accountId=${wallet}`)).body.data[0].id
}

/** Seals a code and a key to a challenge's target bundle, as a device does (formats 2). */
export function sealCode(
  targetBundle: string,
  keys: KeyPair,
  code = '000000',
  form: 'compressedHex' | 'uncompressedHex' = 'compressedHex',
): string {
  const { data } = JSON.parse(targetBundle)
  const { targetPublic } = JSON.parse(Buffer.from(data, 'hex').toString())
  const plaintext = Buffer.from(JSON.stringify({ otp_code: code, public_key: keys.publicKey[form] }))
  const { enc, ciphertext } = seal({ recipientPublicKey: parsePublicKey(targetPublic)!, plaintext })
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  return JSON.stringify({ encappedPublic: hex(enc), ciphertext: hex(ciphertext) })
}

export interface SignedIn {
  readonly sessionId: string
  readonly keys: KeyPair
  stamp(payload: string): string
}

/**
 * Signs in with an e-mail code: requests a challenge and makes both verify calls. `header` contains the
 * signature.
 */
export async function signIn(
  client: Client,
  wallet: string,
  header = 'Svc-Wallet-Signature',
): Promise<SignedIn> {
  const credential = await findCredentialId(client, wallet)
  const challenge = await client.post(`/auth/credentials/${credential}/challenge`)
  const keys = generateKeyPair()
  const body = {
    type: 'EMAIL_OTP',
    encryptedOtpBundle: sealCode(challenge.body.otpEncryptionTargetBundle, keys),
  }
  const first = await client.post(`/auth/credentials/${credential}/verify`, body)
  if (first.status !== 202) throw new Error(toJson(first.body))
  const second = await client.post(`/auth/credentials/${credential}/verify`, body, {
    [header]: makeStamp(keys, first.body.payloadToSign),
    'Request-Id': first.body.requestId,
  })
  if (second.status !== 200) throw new Error(toJson(second.body))
  return { sessionId: second.body.id, keys, stamp: (payload) => makeStamp(keys, payload) }
}

/** Makes both calls of a signed operation. A response that requests no signature is returned unchanged. */
export async function sendSigned(
  client: Client,
  session: Pick<SignedIn, 'stamp'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const first = await client.send(method, path, body)
  if (first.status !== 202) return first
  return client.send(method, path, body, {
    'Svc-Wallet-Signature': session.stamp(first.body.payloadToSign),
    'Request-Id': first.body.requestId,
  })
}

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

/** Decrypts the session key sealed to this device's key (formats 2), and returns a signer for it. */
export function openSession(
  session: { id: string; encryptedSessionSigningKey: string },
  device: KeyPair,
): SignedIn {
  const bytes = Buffer.from(base58check.decode(session.encryptedSessionSigningKey))
  const enc = parsePublicKey(bytes.subarray(0, 33).toString('hex'))!.bytes
  const keys = toKeyPair(open({ privateKey: device, enc, ciphertext: bytes.subarray(33) })!)
  return { sessionId: session.id, keys, stamp: (payload) => makeStamp(keys, payload) }
}

/** A response with its body as text. If the server streams it, `text` is only the first chunk. */
interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Closes idle connections long before the server does. Otherwise, a request could be sent while the server closes its
 * connection.
 */
const agent = new Agent({ keepAlive: true, timeout: 3_000 })

/** Node's `fetch` sends these headers by default. */
const DEFAULT_HEADERS = { Accept: '*/*', 'User-Agent': 'node' }

/**
 * Makes one HTTP/1.1 request for a fifth of the CPU time of `fetch`, because a full test run makes almost a hundred
 * thousand. Rejects as `fetch` does, and does not follow redirects.
 */
export function exchange(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const outgoing = request(new URL(url), {
      method,
      agent,
      headers: { ...DEFAULT_HEADERS, ...length, ...headers },
    })
    outgoing.on('error', (cause) => reject(new TypeError('fetch failed', { cause })))
    outgoing.on('response', (incoming) => {
      const isStream = incoming.headers['content-type']?.startsWith('text/event-stream')
      const finish = () => resolve({ status: incoming.statusCode!, headers: toHeaders(incoming), text })
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => {
        text += chunk
        if (!isStream) return
        finish()
        incoming.destroy()
      })
      incoming.on('end', finish)
      incoming.on('error', (cause) => reject(new TypeError('terminated', { cause })))
    })
    outgoing.end(body)
  })
}

function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
  return headers
}

/** Polls until the value satisfies the condition, for changes without an event to wait for. */
export async function until<T>(
  read: () => Promise<T>,
  isExpected: (value: T) => boolean,
  seconds = 40,
): Promise<T> {
  const endMs = performance.now() + timeLimit(seconds * 1000)
  for (;;) {
    const value = await read()
    if (isExpected(value)) return value
    if (performance.now() > endMs)
      throw new Error(`Waited too long: ${JSON.stringify(value, bigintToString)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function bigintToString(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

const PNG_HEAD = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex')

/** Builds a file of this length that begins and ends like a PNG. */
export function buildPng(bytes = 2_000, fill = 0x41): Buffer {
  return Buffer.concat([PNG_HEAD, Buffer.alloc(bytes - PNG_HEAD.length - PNG_END.length, fill), PNG_END])
}

const UPLOADS = Object.values<Endpoint>(API)
  .filter(({ upload }) => upload)
  .map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))

/** True if the endpoint at this path takes a file. */
function acceptsUpload(method: string, path: string): boolean {
  return UPLOADS.some((upload) => upload.method === method && upload.pattern.test(path.split('?', 1)[0]!))
}

/** Files for the endpoints that accept no images. */
const FILES: Readonly<Record<string, Uint8Array>> = {
  '/payouts/batches/csv': Buffer.from('accountId,currency,amount\n'),
  '/customers/bulk/csv': Buffer.from('platformCustomerId,customerType\n'),
}

/**
 * Converts an object, or JSON, to a form with a file that the endpoint at this path accepts. Undefined for
 * any other body.
 */
export function buildForm(path: string, body: unknown): FormData | undefined {
  const fields = typeof body === 'string' ? tryParseJson(body) : body
  if (!isObject(fields)) return undefined
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'string' ? value : toJson(value))
  form.append('file', new Blob([new Uint8Array(FILES[path.split('?', 1)[0]!] ?? buildPng())]), 'file.png')
  return form
}

function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Shortens an error response to what tests compare. */
export function toRefusal({ status, body }: Reply) {
  return { status, code: body.code, field: body.details?.field }
}
