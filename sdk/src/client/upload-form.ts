/** The file of an upload, next to its text fields in `body`. */
export interface FileInput {
  readonly file: Blob
  /** Without a path. Left out: the name of a `File`. */
  readonly fileName?: string
}

/** The slowest line that an upload is sent over; the server refuses slower ones. */
const BYTES_PER_MS_MIN = 16

/** The body of an upload: its text fields, then its file. Throws TypeError where the file has no name. */
export function formOf(body: unknown): FormData {
  const { file, fileName, ...fields } = body as FileInput & Readonly<Record<string, unknown>>
  const name = fileName ?? ('name' in file && typeof file.name === 'string' ? file.name : undefined)
  if (name === undefined) throw new TypeError('body.fileName is missing: this file has no name of its own')
  const form = new FormData()
  for (const [field, value] of Object.entries(fields))
    if (value !== undefined) form.append(field, String(value))
  form.append('file', file, name)
  return form
}

/** How much longer an upload may take than another call. */
export function sendingMs(body: unknown): number {
  return Math.ceil((body as FileInput).file.size / BYTES_PER_MS_MIN)
}
