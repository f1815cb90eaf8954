import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The encodings of stored files with their file name extensions, smallest first. */
export const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** One year, because the file's name changes with its content. */
export const FOR_EVER = 'public, max-age=31536000, immutable'

/** Higher levels take seconds for the OpenAPI document and save only 10 %. */
const BROTLI_QUALITY = 6

/** A response body, compressed once. */
export interface Packed {
  readonly type: string
  readonly hash: string
  readonly plain: Buffer
  readonly br: Buffer
  readonly gzip: Buffer
}

/** The best encoding that the client accepts, with its file name extension. Undefined if it accepts none. */
export function chooseEncoding({ headers }: FastifyRequest) {
  const accepted = headers['accept-encoding'] ?? ''
  return ENCODINGS.find(([encoding]) => accepted.includes(encoding))
}

export async function pack(text: string, type: string): Promise<Packed> {
  const plain = Buffer.from(text)
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params }),
    promisify(gzip)(plain),
  ])
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 16)
  return { type: `${type}; charset=utf-8`, hash, plain, br, gzip: gzipped }
}

/** Sends a compressed body, or 304 if the client already has it. */
export function sendPacked(
  request: FastifyRequest,
  reply: FastifyReply,
  packed: Packed,
  cacheControl = 'no-cache',
): FastifyReply {
  const [encoding] = chooseEncoding(request) ?? []
  // Each encoding has its own tag, because the bytes differ.
  const tag = `"${packed.hash}${encoding ? `-${encoding}` : ''}"`
  reply.header('Vary', 'Accept-Encoding').header('Cache-Control', cacheControl).header('ETag', tag)
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  if (encoding) reply.header('Content-Encoding', encoding)
  return reply.type(packed.type).send(encoding ? packed[encoding] : packed.plain)
}
