import { isObject } from '../json/json.ts'

/** The file of an upload, which is in `body` together with the text fields. */
export interface FileInput {
  readonly file: Blob
  /** A name without a path. Default: the name of the `File`. */
  readonly fileName?: string
}

/** Returns the body of an upload. Throws TypeError if it contains no file. */
export function requireFileInput(body: unknown): FileInput {
  if (!isFileInput(body)) throw new TypeError('body.file is missing. Pass a Blob or a File.')
  return body
}

function isFileInput(body: unknown): body is FileInput {
  return isObject(body) && isObject(body.file)
}

/** The minimum upload speed. The server rejects slower uploads. */
const BYTES_PER_MS_MIN = 16

/**
 * Builds the form for an upload: text fields first, then the file. Throws TypeError if the file has no name.
 */
export function buildForm({ file, fileName, ...fields }: FileInput): FormData {
  const name = fileName ?? ('name' in file && typeof file.name === 'string' ? file.name : undefined)
  if (name === undefined) throw new TypeError('body.fileName is missing, and the file has no name.')
  const form = new FormData()
  for (const [field, value] of Object.entries(fields))
    if (value !== undefined) form.append(field, String(value))
  form.append('file', file, name)
  return form
}

/** The additional time that an upload may take. */
export function computeUploadTimeMs({ file }: FileInput): number {
  return Math.ceil(file.size / BYTES_PER_MS_MIN)
}
