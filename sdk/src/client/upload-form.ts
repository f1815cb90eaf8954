import { isObject } from '../json/json.ts'

/** The file of an upload, next to its text fields in `body`. */
export interface FileInput {
  readonly file: Blob
  /** Without a path. Default: the name of a `File`. */
  readonly fileName?: string
}

/** The body of an upload. Throws TypeError without a file. */
export function fileInputOf(body: unknown): FileInput {
  if (!isFileInput(body)) throw new TypeError('body.file is missing: it takes a Blob or a File')
  return body
}

function isFileInput(body: unknown): body is FileInput {
  return isObject(body) && isObject(body.file)
}

/** The slowest supported line for an upload; the server refuses slower ones. */
const BYTES_PER_MS_MIN = 16

/** The body of an upload: its text fields, then its file. Throws TypeError if the file has no name. */
export function formOf({ file, fileName, ...fields }: FileInput): FormData {
  const name = fileName ?? ('name' in file && typeof file.name === 'string' ? file.name : undefined)
  if (name === undefined) throw new TypeError('body.fileName is missing: this file has no name')
  const form = new FormData()
  for (const [field, value] of Object.entries(fields))
    if (value !== undefined) form.append(field, String(value))
  form.append('file', file, name)
  return form
}

/** The additional time of an upload over another call. */
export function sendingMs({ file }: FileInput): number {
  return Math.ceil(file.size / BYTES_PER_MS_MIN)
}
