import { API } from '@countersign/contract/api'
import { isObject } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { parseJson, toJson } from '../../src/base/json/json.ts'

const PNG_HEAD = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex')

/** A file that begins and ends like a PNG, of this length. */
export function pngOf(bytes = 2_000, fill = 0x41): Buffer {
  return Buffer.concat([PNG_HEAD, Buffer.alloc(bytes - PNG_HEAD.length - PNG_END.length, fill), PNG_END])
}

const UPLOADS = Object.values<Endpoint>(API)
  .filter(({ upload }) => upload)
  .map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))

/** True if the endpoint at this address takes a file. */
export function takesUpload(method: string, path: string): boolean {
  return UPLOADS.some((upload) => upload.method === method && upload.pattern.test(path.split('?', 1)[0]!))
}

/** The files of addresses that take files other than pictures. */
const FILES: Readonly<Record<string, Uint8Array>> = {
  '/payouts/batches/csv': Buffer.from('accountId,currency,amount\n'),
  '/customers/bulk/csv': Buffer.from('platformCustomerId,customerType\n'),
}

/**
 * The fields of an object, or of one as JSON, as a form with a file that this address takes; undefined for
 * another body.
 */
export function formWith(path: string, body: unknown): FormData | undefined {
  const fields = typeof body === 'string' ? readOrUndefined(body) : body
  if (!isObject(fields)) return undefined
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'string' ? value : toJson(value))
  form.append('file', new Blob([new Uint8Array(FILES[path.split('?', 1)[0]!] ?? pngOf())]), 'file.png')
  return form
}

function readOrUndefined(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
