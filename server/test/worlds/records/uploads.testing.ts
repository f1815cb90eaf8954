import { connect, type Socket } from 'node:net'
import { parseJson } from '../../../src/base/json/json.ts'
import type { Client, Reply } from '../client.testing.ts'
import { pngOf } from '../upload-forms.testing.ts'

export const PDF = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\ntrailer\n<< >>\n%%EOF\n')
export const JPEG = Buffer.concat([
  Buffer.from('ffd8ffe000104a464946', 'hex'),
  Buffer.alloc(64, 7),
  Buffer.from('ffd9', 'hex'),
])

/** A part of a form, as its sender writes it. */
export interface Part {
  readonly name?: string
  readonly fileName?: string
  readonly value: string | Uint8Array
  /** Further lines of its head. */
  readonly headers?: readonly string[]
}

const BOUNDARY = 'boundary-of-a-test'

/** The bytes of a form, its parts in this order. */
export function formOf(parts: readonly Part[]): Buffer {
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

/** Sends bytes as they are, as a form. */
export async function sendForm(
  client: Client,
  method: string,
  path: string,
  form: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(client.baseUrl + path, {
    method,
    headers: { Authorization: client.authorization, 'Content-Type': FORM_TYPE, ...headers },
    body: new Uint8Array(form),
  })
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? undefined : parseJson(text),
    headers: response.headers,
  }
}

/** Uploads a file with text fields, which come first. */
export function upload(
  client: Client,
  path: string,
  fields: Readonly<Record<string, string>>,
  file: Uint8Array = pngOf(),
  { fileName = 'passport.png', method = 'POST', headers = {} } = {},
): Promise<Reply> {
  const parts = Object.entries(fields).map(([name, value]) => ({ name, value }))
  return sendForm(client, method, path, formOf([...parts, { name: 'file', fileName, value: file }]), headers)
}

/** Sends the head of an upload and a part of its body, and leaves the connection open. */
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

/** The status of a complete response. */
export async function outcomeOf(reply: Promise<Response>): Promise<number | 'cut off'> {
  try {
    const response = await reply
    await response.arrayBuffer()
    return response.status
  } catch {
    return 'cut off'
  }
}
