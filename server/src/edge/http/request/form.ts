import type { IncomingMessage } from 'node:http'
import { getBodyBytesMax, KIB, type Upload } from '@countersign/contract/core/endpoint'
import { getOwnValue } from '@countersign/contract/core/objects'
import { UNREADABLE } from '@countersign/contract/core/schema'
import type { MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { getErrorCode } from '../../../base/formats/thrown-errors.ts'
import { ApiError, createFieldError } from '../../../kernel/operation/operation.ts'
import type { UploadedFile } from '../../../kernel/operation/uploaded-file.ts'
import { type Pace, watchPace } from './upload-pace.ts'

/** The form part that holds the file. */
export const FILE_PART = 'file'

const FIELDS_MAX = 50
const FIELD_BYTES_MAX = 8 * KIB
const HEADERS_OF_PART_MAX = 20
const HEADER_BYTES_OF_PART_MAX = 8 * KIB
const FILE_NAME_CHARACTERS_MAX = 255

/** A parsed form: its text fields, and the result of receiving its file. */
export interface Form<File> {
  readonly fields: Readonly<Record<string, string>>
  readonly file: File | undefined
}

/**
 * Receives the file's bytes as they arrive. If the sender fails, the stream throws the error for the
 * response.
 */
export type Receive<File> = (
  part: Pick<UploadedFile, 'name' | 'declaredType'>,
  bytes: AsyncIterable<Uint8Array>,
) => Promise<File>

/** Called for each text field as it arrives, even if the form is rejected later. */
export type OnField = (name: string, text: string) => void

/** Reads the form of a request. Can be called once. */
export type ReadForm = <File>(receive: Receive<File>) => Promise<Form<File>>

/**
 * Reads a `multipart/form-data` body with at most one file, part by part and in any order. The file's bytes
 * are passed on unchanged, whatever encoding the part declares. Throws 400 `INVALID_INPUT` naming the field,
 * 408 `REQUEST_TIMEOUT` if the sender is too slow, 413 `PAYLOAD_TOO_LARGE`.
 */
export async function readForm<File>(
  request: FastifyRequest,
  upload: Upload,
  windowMs: number,
  receive: Receive<File>,
  onField?: OnField,
): Promise<Form<File>> {
  if (!request.isMultipart()) return { fields: {}, file: undefined }
  const { raw } = request
  if (Number(request.headers['content-length'] ?? 0) > getBodyBytesMax({ upload }))
    throw createSizeError(upload, raw)
  const pace = watchPace(raw, { bytesMax: getBodyBytesMax({ upload }), windowMs })
  try {
    return await readParts(request, upload, pace, receive, onField)
  } catch (error) {
    throw pace.refusal ?? error
  } finally {
    pace.end()
    // Drains the remaining body within the server's time limit.
    raw.unpipe()
    raw.resume()
  }
}

async function readParts<File>(
  request: FastifyRequest,
  upload: Upload,
  pace: Pace,
  receive: Receive<File>,
  onField: OnField = () => {},
): Promise<Form<File>> {
  const fields: Record<string, string> = {}
  let file: File | undefined
  const parts = request.parts({
    limits: {
      fileSize: upload.bytesMax,
      files: 1,
      fields: FIELDS_MAX,
      parts: FIELDS_MAX + 1,
      fieldSize: FIELD_BYTES_MAX,
      headerPairs: HEADERS_OF_PART_MAX,
      headerSize: HEADER_BYTES_OF_PART_MAX,
    },
    preservePath: true,
  })
  for (;;) {
    const { value: part } = await convertParserErrors(Promise.race([parts.next(), pace.refused]))
    if (!part) return { fields, file }
    if (part.type === 'file') file = await receiveFile(part, upload, pace, receive)
    else {
      const { fieldname: name } = part
      fields[name] = readField(part, fields)
      onField(name, fields[name])
    }
  }
}

async function receiveFile<File>(
  part: MultipartFile,
  upload: Upload,
  pace: Pace,
  receive: Receive<File>,
): Promise<File> {
  const { file, fieldname } = part
  try {
    if (fieldname !== FILE_PART)
      throw createPartError(
        fieldname || 'body',
        `The part ${shortenName(fieldname)} is unknown. Send the file in the part named file.`,
      )
    const name = checkFileName(part.filename)
    file.on('limit', () => file.destroy(createSizeError(upload)))
    pace.onRefused((refusal) => file.destroy(refusal))
    return await receive({ name, declaredType: part.mimetype }, readBytes(file))
  } finally {
    file.destroy()
  }
}

async function* readBytes(file: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const chunks = file[Symbol.asyncIterator]()
  for (;;) {
    const { value, done } = await convertParserErrors(chunks.next())
    if (done) return
    yield value
  }
}

function readField(part: MultipartValue, fields: Readonly<Record<string, string>>): string {
  const { fieldname, value, valueTruncated } = part
  if (!fieldname) throw createPartError('body', 'A part of the body has no name.')
  if (fieldname === FILE_PART) throw createPartError(FILE_PART, 'file must be a file, with a file name')
  if (Object.hasOwn(fields, fieldname))
    throw createPartError(fieldname, `${shortenName(fieldname)} must be given only once`)
  if (valueTruncated)
    throw createPartError(fieldname, `${shortenName(fieldname)} must have at most ${FIELD_BYTES_MAX} bytes`)
  if (typeof value !== 'string')
    throw createPartError(fieldname, `${shortenName(fieldname)} must be plain text`)
  if (value.includes(NOT_UTF_8)) throw createPartError(fieldname, `${shortenName(fieldname)} is not UTF-8`)
  return value
}

/** The parser's replacement for bytes that are not valid UTF-8. */
const NOT_UTF_8 = '\ufffd'

/** Returns the file name if it is safe to store, display and save a file under. */
function checkFileName(name: string | undefined): string {
  if (!name) throw createPartError(FILE_PART, 'file must have a file name')
  if (name.length > FILE_NAME_CHARACTERS_MAX)
    throw createPartError(
      FILE_PART,
      `The file name must have at most ${FILE_NAME_CHARACTERS_MAX} characters.`,
    )
  if (/[/\\]/.test(name) || /^\.{1,2}$/.test(name))
    throw createPartError(FILE_PART, 'The file name must not contain a path.')
  if (UNREADABLE.test(name) || !name.isWellFormed() || name.includes(NOT_UTF_8))
    throw createPartError(FILE_PART, 'The file name must be UTF-8 without control characters.')
  return name
}

const NAME_CHARACTERS_SHOWN = 64

function shortenName(name: string): string {
  return name.slice(0, NAME_CHARACTERS_SHOWN).toWellFormed()
}

/** Messages for parser errors, by code. */
const PARSER_MESSAGES: Readonly<Record<string, readonly [field: string, message: string]>> = {
  FST_FILES_LIMIT: [FILE_PART, 'Only one file is allowed'],
  FST_FIELDS_LIMIT: ['body', `The body must have at most ${FIELDS_MAX} fields`],
  FST_PARTS_LIMIT: ['body', `The body must have at most ${FIELDS_MAX + 1} parts`],
  FST_PROTO_VIOLATION: ['body', 'The body has a field with a forbidden name'],
  FST_INVALID_JSON_FIELD_ERROR: ['body', 'The fields of the body must be plain text'],
}

/** The message for the parser's other errors, which have no code. Its own messages are not for callers. */
const NOT_A_FORM = [
  'body',
  'The body is not valid multipart/form-data. It may be cut off, or its boundary may differ from the Content-Type header.',
] as const

/** Converts parser errors to 400 responses, because the sender causes them. */
async function convertParserErrors<T>(step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw createPartError(...(getOwnValue(PARSER_MESSAGES, getErrorCode(error) ?? '') ?? NOT_A_FORM))
  }
}

function createPartError(field: string, message: string): ApiError {
  return createFieldError('INVALID_INPUT', shortenName(field), message)
}

/** The 413 error for the whole body if `body` is given, otherwise for the file. */
function createSizeError({ bytesMax }: Upload, body?: IncomingMessage): ApiError {
  const message = body
    ? `The request body must have at most ${getBodyBytesMax({ upload: { bytesMax } })} bytes, and its file ${bytesMax}.`
    : `The file must have at most ${bytesMax} bytes.`
  return new ApiError('PAYLOAD_TOO_LARGE', { message, details: { field: FILE_PART, bytesMax } })
}
