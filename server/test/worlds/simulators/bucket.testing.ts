import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { listen } from '../../../../test/ports.testing.ts'

/** The credentials for the simulator's bucket. */
const BUCKET_KEYS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
const BUCKET = 'documents'
const REGION = 'eu-central-1'

/**
 * A server that implements the part of the Amazon S3 protocol that file storage needs. It checks every
 * signature and digest.
 */
export interface Bucket {
  /** The settings of a server that stores its files here. */
  readonly settings: Readonly<Record<string, string>>
  /** The stored objects, by key. */
  readonly objects: Map<string, Buffer>
  /** Refuses every request with this status. Undefined ends this. */
  fail(status: number | undefined): void
  close(): Promise<void>
}

export async function openBucket(): Promise<Bucket> {
  const objects = new Map<string, Buffer>()
  let failureStatus: number | undefined
  const server: Server = createServer((request, response) => {
    respond(objects, failureStatus, request, response).catch((error: unknown) =>
      response.destroy(error as Error),
    )
  })
  const port = await listen(server)
  return {
    settings: {
      DOCUMENTS_URL: `s3://${BUCKET}/sealed?endpoint=http://127.0.0.1:${port}&region=${REGION}`,
      DOCUMENTS_ACCESS_KEY_ID: BUCKET_KEYS.accessKeyId,
      DOCUMENTS_SECRET_ACCESS_KEY: BUCKET_KEYS.secretAccessKey,
    },
    objects,
    fail(status) {
      failureStatus = status
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function respond(
  objects: Map<string, Buffer>,
  failureStatus: number | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const path = request.url ?? ''
  const [, key] = new RegExp(`^/${BUCKET}/(.+)$`).exec(path) ?? []
  const end = (status: number, bytes?: Buffer) => response.writeHead(status).end(bytes)
  if (failureStatus !== undefined) end(failureStatus)
  else if (!isSigned(request, body)) end(403)
  else if (!key) end(404)
  else if (request.method === 'PUT') {
    objects.set(key, body)
    end(200)
  } else if (request.method === 'DELETE') {
    objects.delete(key)
    end(204)
  } else if (request.method === 'GET') {
    const [, firstByte] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? []
    const object = objects.get(key)
    end(object ? (firstByte ? 206 : 200) : 404, object?.subarray(Number(firstByte ?? 0)))
  } else end(405)
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

/**
 * Checks Signature Version 4 as the service does: over the method, the path, the signed headers and the
 * body's digest.
 */
function isSigned({ method, url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const [, keyId, day, region, signed, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (!signed || keyId !== BUCKET_KEYS.accessKeyId || region !== REGION) return false
  const names = signed.split(';')
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.includes(name))) return false
  const digest = String(headers['x-amz-content-sha256'])
  if (digest !== sha256(body)) return false
  const [path, query = ''] = url.split('?', 2)
  const lines = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('')
  const canonical = [method, path, query, lines, signed, digest].join('\n')
  const time = String(headers['x-amz-date'])
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [day!, region!, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${BUCKET_KEYS.secretAccessKey}`,
  )
  return time.startsWith(day!) && hmac(key, toSign).toString('hex') === signature
}
