import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { type StreamedRequest, type StreamedResponse, sendForStream } from '../../base/http-client/send.ts'
import type { BucketConfig } from '../../base/settings/documents.ts'
import type { FileStore } from '../../kernel/ports/file-store.ts'
import { toFileName } from './file-folder.ts'

/** Timeout until the response headers arrive. An upload gets additional time according to its length. */
const RESPONSE_MS_MAX = 10_000
const BYTES_PER_MS_MIN = 128
/** The longest pause while a file is read. A slow reader may also cause it. */
const IDLE_MS_MAX = 60_000
/** SHA-256 of an empty body. */
const NO_BODY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

interface Request extends Pick<StreamedRequest, 'method' | 'body'> {
  readonly sha256?: string
  readonly msMax?: number
  /** A GET returns the bytes from this offset on, with status 206 unless the offset is 0. */
  readonly fromByte?: number
}

/**
 * Stores files in an S3-compatible bucket, under the UUID of their id. Requests are signed with AWS Signature
 * Version 4, including the body's digest, and use path-style URLs.
 */
export function createBucketStore(bucket: BucketConfig, clock: () => Date): FileStore {
  const sendRequest = (id: string, request: Request) => send(bucket, clock(), toFileName(id), request)
  return {
    async put(id, { path, sealedBytes, sealedSha256 }) {
      const { status, body } = await sendRequest(id, {
        method: 'PUT',
        body: { stream: createReadStream(path), bytes: sealedBytes },
        sha256: Buffer.from(sealedSha256).toString('hex'),
        msMax: RESPONSE_MS_MAX + Math.ceil(sealedBytes / BYTES_PER_MS_MIN),
      })
      body.destroy()
      if (status !== 200) throw createBucketError('store', status)
    },
    async openAt(id, fromByte): Promise<Readable | undefined> {
      const { status, body } = await sendRequest(id, { method: 'GET', fromByte })
      if (status === (fromByte > 0 ? 206 : 200)) return body
      body.destroy()
      if (status === 404) return undefined
      throw createBucketError('read', status)
    },
    async remove(id) {
      const { status, body } = await sendRequest(id, { method: 'DELETE' })
      body.destroy()
      if (status !== 204 && status !== 200 && status !== 404) throw createBucketError('remove', status)
    },
  }
}

async function send(
  { url, prefix, region, accessKeyId, secretAccessKey }: BucketConfig,
  now: Date,
  name: string,
  { method, body, sha256 = NO_BODY, msMax = RESPONSE_MS_MAX, fromByte = 0 }: Request,
): Promise<StreamedResponse> {
  const signer = new AwsV4Signer({
    method,
    url: `${url}/${prefix}${name}`,
    headers: {
      'X-Amz-Content-Sha256': sha256,
      ...(fromByte > 0 ? { Range: `bytes=${fromByte}-` } : {}),
    },
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region,
    datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ''),
  })
  const signed = await signer.sign()
  return sendForStream(
    {
      method,
      url: signed.url.href,
      headers: Object.fromEntries(signed.headers),
      ...(body ? { body } : {}),
    },
    { signal: AbortSignal.timeout(msMax), reach: 'any', idleMsMax: IDLE_MS_MAX },
  )
}

function createBucketError(action: string, status: number): Error {
  return new Error(`The bucket refused to ${action} a file: it returned status ${status}`)
}
