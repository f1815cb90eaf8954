import { connect, type Socket } from 'node:net'
import { parseJson } from '../../../src/base/json/json.ts'
import { buildPng, type Client, newPlatform, type Reply } from '../client.testing.ts'

/** A business with every field that a verification needs, but without owners and documents. */
export const BUSINESS = {
  customerType: 'BUSINESS',
  address: { line1: '1 Main Street', city: 'Boston', postalCode: '02101', country: 'US' },
  businessInfo: {
    legalName: 'Acme Inc',
    incorporatedOn: '2020-01-31',
    taxId: '12-3456789',
    registrationNumber: '5523910',
    countriesOfOperation: ['US'],
  },
}

/** A person with every field that a verification needs, in a country that requires no documents. */
export const PERSON = {
  customerType: 'INDIVIDUAL',
  fullName: 'Ada Lovelace',
  birthDate: '1990-12-10',
  nationality: 'US',
  address: { line1: '1 Main Street', city: 'Boston', postalCode: '02101', country: 'US' },
}

/** Builds the owner who controls a business. `lastName` controls the sandbox. */
export function ownerOf(customerId: string, more: Record<string, unknown> = {}) {
  const { personalInfo = {}, ...others } = more as { personalInfo?: Record<string, unknown> }
  return {
    customerId,
    roles: ['UBO', 'CONTROL_PERSON'],
    ownershipPercentage: 100,
    personalInfo: {
      firstName: 'Grace',
      lastName: 'Hopper',
      birthDate: '1980-12-09',
      nationality: 'US',
      address: { line1: '2 Side Street', city: 'Boston', postalCode: '02101', country: 'US' },
      idType: 'SSN',
      identifier: '123-45-6789',
      ...personalInfo,
    },
    ...others,
  }
}

/** Creates a platform whose sandbox behaves like production, where people decide. */
export async function newManualPlatform(): Promise<Client> {
  const client = await newPlatform()
  await send(client, 'PATCH', '/config', { sandboxConfig: { verification: 'MANUAL' } }, 200)
  return client
}

/** Sends a request and returns the body of its response, which must have this status. */
export async function send(
  client: Client,
  method: string,
  path: string,
  body: unknown,
  status: number,
): Promise<Reply['body']> {
  const reply = await client.send(method, path, body)
  if (reply.status !== status)
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
  return reply.body
}

/** Builds a decision that requests more information, which can be repeated. */
export const informationRequest = (customerId: string) => ({
  decision: 'REQUEST_INFORMATION',
  errors: [{ resourceId: customerId, type: 'INVALID_FIELD', reason: 'Write the name in full.' }],
})

/**
 * Creates an unapproved business, with an owner, an open verification and a decision. Returns their
 * ids by kind.
 */
export async function newBusinessCase(client: Client) {
  const pending = { ...BUSINESS, businessInfo: { ...BUSINESS.businessInfo, registrationNumber: '001' } }
  const { id: Business } = await send(client, 'POST', '/customers', pending, 201)
  const owner = await send(
    client,
    'POST',
    '/beneficial-owners',
    ownerOf(Business, { ownershipPercentage: 0 }),
    201,
  )
  const verification = await send(client, 'POST', '/verifications', { customerId: Business }, 200)
  const path = `/verifications/${verification.id}/decision`
  await send(client, 'POST', path, informationRequest(Business), 200)
  const [decision] = (await client.get(`${path}s`)).body.data
  return {
    Business: Business as string,
    BeneficialOwner: owner.id as string,
    Verification: verification.id as string,
    VerificationDecision: decision.id as string,
  }
}

/** A page as shown by a browser without scripts. */
interface PageReply {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The target of a redirect. */
  readonly location: string | null
}

/** A browser that supports forms and cookies, but no scripts. */
export class PageVisitor {
  readonly origin: string
  readonly cookies = new Map<string, string>()
  /** The last page. */
  last: PageReply | undefined

  constructor(origin: string) {
    this.origin = origin
  }

  /** Requests a URL without following redirects. */
  async request(path: string, init: RequestInit = {}): Promise<PageReply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(path, this.origin), {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie ? { Cookie: cookie } : {}), ...init.headers },
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const { status, headers } = response
    return { status, text: await response.text(), headers, location: headers.get('location') }
  }

  /** Opens a page, following redirects within the origin. */
  async go(path: string, init?: RequestInit): Promise<PageReply> {
    let reply = await this.request(path, init)
    for (let hops = 0; reply.status === 303 && hops < 5; hops++) {
      if (!reply.location?.startsWith('/')) break
      reply = await this.request(reply.location)
    }
    this.last = reply
    return reply
  }

  /** Finds the form on the last page whose action ends like this, with its current field values. */
  form(end: string | RegExp): { readonly action: string; readonly fields: URLSearchParams } {
    const { text } = this.last!
    const found = [...text.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].find(
      ([, action]) => (typeof end === 'string' ? action!.split('?')[0]!.endsWith(end) : end.test(action!)),
    )
    if (!found) throw new Error(`The page has no form for ${end}:\n${text}`)
    const [, action = '', content = ''] = found
    return { action: plain(action), fields: parseFields(content) }
  }

  /** Fills in the form and submits it. */
  async submit(
    end: string,
    values: Readonly<Record<string, string | readonly string[]>> = {},
  ): Promise<PageReply> {
    const { action, fields } = this.form(end)
    for (const [name, value] of Object.entries(values)) {
      fields.delete(name)
      for (const item of [value].flat()) fields.append(name, item)
    }
    return this.go(action, { method: 'POST', body: fields })
  }

  /** Fills in the document form and submits it with a file. */
  async sendFile(
    values: Readonly<Record<string, string>>,
    file: Uint8Array | undefined,
    name = 'passport.png',
  ): Promise<PageReply> {
    const { action, fields } = this.form('/documents')
    const form = new FormData()
    for (const [field, value] of fields) form.set(field, values[field] ?? value)
    for (const [field, value] of Object.entries(values)) form.set(field, value)
    form.set('file', new Blob(file ? [new Uint8Array(file)] : []), file ? name : '')
    return this.go(action, { method: 'POST', body: form })
  }
}

/** Returns the path of the onboarding session whose cookie the visitor has. */
export function readSessionPath({ cookies }: PageVisitor): string {
  const [name = ''] = [...cookies.keys()]
  return `/verify/session/${name.slice('verify-'.length)}`
}

/** Parses the values of a form's fields. */
function parseFields(content: string): URLSearchParams {
  const fields = new URLSearchParams()
  for (const [tag] of content.matchAll(/<input[^>]*>/g)) {
    const name = readAttribute(tag, 'name')
    const isBox = readAttribute(tag, 'type') === 'checkbox'
    if (name && readAttribute(tag, 'type') !== 'file' && (!isBox || / checked/.test(tag)))
      fields.append(name, readAttribute(tag, 'value') ?? '')
  }
  for (const [, attributes = '', options = ''] of content.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g)) {
    const chosen = /<option value="([^"]*)" selected>/.exec(options)?.[1] ?? ''
    fields.append(readAttribute(attributes, 'name') ?? '', plain(chosen))
  }
  for (const [, attributes = '', value = ''] of content.matchAll(/<textarea([^>]*)>([\s\S]*?)<\/textarea>/g))
    fields.append(readAttribute(attributes, 'name') ?? '', plain(value))
  return fields
}

function readAttribute(tag: string, name: string): string | undefined {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : plain(value)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** Decodes HTML entities. */
export function plain(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!)
}

/** Creates the link for a customer. */
export async function createKycLink(
  client: Client,
  customerId: string,
  body?: unknown,
): Promise<Reply['body']> {
  const reply = await client.post(`/customers/${customerId}/kyc-link`, body)
  if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
  return reply.body
}

/** Creates a link for this customer, and opens it as a person does. */
export async function openNewLink(client: Client, customerId: string, body?: unknown): Promise<PageVisitor> {
  const { kycUrl } = await createKycLink(client, customerId, body)
  return opened(kycUrl)
}

/** Opens a link as a person does: reads the page, then starts. */
export async function opened(kycUrl: string): Promise<PageVisitor> {
  const { origin, pathname } = new URL(kycUrl)
  const visitor = new PageVisitor(origin)
  await visitor.go(pathname)
  await visitor.submit(pathname)
  return visitor
}

export const PDF = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\ntrailer\n<< >>\n%%EOF\n')
export const JPEG = Buffer.concat([
  Buffer.from('ffd8ffe000104a464946', 'hex'),
  Buffer.alloc(64, 7),
  Buffer.from('ffd9', 'hex'),
])

/** A part of a form, as written by its sender. */
export interface Part {
  readonly name?: string
  readonly fileName?: string
  readonly value: string | Uint8Array
  /** Additional header lines. */
  readonly headers?: readonly string[]
}

const BOUNDARY = 'boundary-of-a-test'

/** Builds the bytes of a form with its parts in this order. */
export function encodeForm(parts: readonly Part[]): Buffer {
  const chunks = parts.flatMap(({ name, fileName, value, headers = [] }) => {
    const names = [
      ...(name === undefined ? [] : [`name="${name}"`]),
      ...(fileName === undefined ? [] : [`filename="${fileName}"`]),
    ]
    const lines = [
      `--${BOUNDARY}`,
      ['Content-Disposition: form-data', ...names].join('; '),
      ...headers,
      '',
      '',
    ]
    return [Buffer.from(lines.join('\r\n')), Buffer.from(value), Buffer.from('\r\n')]
  })
  return Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** Sends bytes unchanged as a form. */
export async function sendForm(
  client: Client,
  method: string,
  path: string,
  form: Uint8Array | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(client.baseUrl + path, {
    method,
    headers: { Authorization: client.authorization, 'Content-Type': FORM_TYPE, ...headers },
    ...(form instanceof ReadableStream ? { body: form, duplex: 'half' } : { body: new Uint8Array(form) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? undefined : parseJson(text),
    headers: response.headers,
  }
}

/** Splits a body into chunks. Sent as a stream, it has no Content-Length. */
export function splitIntoChunks(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size))
      controller.close()
    },
  })
}

/** Uploads a file. Text fields come first. */
export function upload(
  client: Client,
  path: string,
  fields: Readonly<Record<string, string>>,
  file: Uint8Array = buildPng(),
  { fileName = 'passport.png', method = 'POST', headers = {} } = {},
): Promise<Reply> {
  const parts = Object.entries(fields).map(([name, value]) => ({ name, value }))
  return sendForm(
    client,
    method,
    path,
    encodeForm([...parts, { name: 'file', fileName, value: file }]),
    headers,
  )
}

/** Sends the headers of an upload and part of its body, and leaves the connection open. */
export function beginUpload(client: Client, length: number, body: Uint8Array): Socket {
  const { hostname, port, pathname } = new URL(client.baseUrl)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST ${pathname}/documents HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${client.authorization}`,
    `Content-Type: ${FORM_TYPE}`,
    `Content-Length: ${length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(body)
  return socket
}

/** Returns the status of a response, or `cut off` if it was not received completely. */
export async function outcomeOf(reply: Promise<Response>): Promise<number | 'cut off'> {
  try {
    const response = await reply
    await response.arrayBuffer()
    return response.status
  } catch {
    return 'cut off'
  }
}
